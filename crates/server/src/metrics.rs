//! The engine's figures as a metrics page.

use std::fmt::Display;

use cuzk_engine::{Status, Tier};

use crate::exposition::{
    Kind::{Counter, Gauge, Summary},
    Page,
};

/// The page of one snapshot, so that its figures agree with each other.
pub(crate) fn page(status: &Status) -> String {
    let mut page = Page::default();
    process(&mut page, status);
    jobs(&mut page, status);
    keys(&mut page, status);
    memory(&mut page, status);
    page.into_text()
}

fn process(page: &mut Page, status: &Status) {
    let version: &dyn Display = &env!("CARGO_PKG_VERSION");
    page.family("cuzk_build_info", Gauge, "Always 1; the label says which version runs.")
        .sample(&[("version", version)], 1);
    page.family("cuzk_uptime_seconds", Gauge, "Time since the engine started.")
        .sample(&[], status.uptime.as_secs_f64());
    page.family("cuzk_draining", Gauge, "1 while new work is refused because the engine is about to stop.")
        .sample(&[], u8::from(status.draining));
    page.family("cuzk_pipeline_workers", Gauge, "Partitions that may be solved at once.").sample(&[], status.workers);
    page.family("cuzk_pipeline_queue_depth", Gauge, "Solved partitions that may wait, for each backend.")
        .sample(&[], status.queue_depth);
    let mut busy = page.family("cuzk_backend_busy", Gauge, "1 while the backend proves a partition.");
    for backend in &status.backends {
        busy.sample(&[("backend", &backend.name)], u8::from(backend.current_job.is_some()));
    }
}

fn jobs(page: &mut Page, status: &Status) {
    let mut jobs = page.family("cuzk_jobs", Gauge, "Accepted jobs whose result is not ready.");
    for queue in &status.queues {
        jobs.sample(&[("kind", &queue.kind), ("state", &"pending")], queue.pending);
        jobs.sample(&[("kind", &queue.kind), ("state", &"in_progress")], queue.in_progress);
    }
    page.family("cuzk_jobs_limit", Gauge, "Jobs that may be pending or in progress.").sample(&[], status.max_pending);
    let mut ended = page.family("cuzk_jobs_ended_total", Counter, "Jobs that ended since the start.");
    ended.sample(&[("outcome", &"completed")], status.completed);
    ended.sample(&[("outcome", &"failed")], status.failed);
    ended.sample(&[("outcome", &"cancelled")], status.cancelled);
    times(page, status);
}

/// Where the time of the jobs went that have ended, whatever their end.
fn times(page: &mut Page, status: &Status) {
    let ended = status.completed + status.failed + status.cancelled;
    let times = &status.timings;
    page.family("cuzk_job_seconds", Summary, "From a job's acceptance to its end.").summary(
        &[],
        times.total.as_secs_f64(),
        ended,
    );
    let help = "Time of a job in a stage; all but queue_wait are summed over its partitions, which may overlap.";
    let mut stages = page.family("cuzk_job_stage_seconds", Summary, help);
    for (stage, time) in [
        ("queue_wait", times.queue_wait),
        ("key_load", times.srs_load),
        ("synthesis", times.synthesis),
        ("backend", times.gpu_compute),
        ("verify", times.verify),
    ] {
        stages.summary(&[("stage", &stage)], time.as_secs_f64(), ended);
    }
}

fn keys(page: &mut Page, status: &Status) {
    let tier = |tier| match tier {
        Tier::Hot => "hot",
        Tier::Warm => "warm",
        Tier::Cold => "cold",
    };
    let mut bytes = page.family("cuzk_proving_key_bytes", Gauge, "Host memory of a proving key and its circuit.");
    for key in &status.keys {
        bytes.sample(&[("circuit", &key.circuit), ("tier", &tier(key.tier))], key.bytes);
    }
    let mut references = page.family("cuzk_proving_key_references", Gauge, "Partitions in flight that use the key.");
    for key in &status.keys {
        references.sample(&[("circuit", &key.circuit)], key.ref_count);
    }
}

fn memory(page: &mut Page, status: &Status) {
    let memory = &status.memory;
    page.family("cuzk_memory_total_bytes", Gauge, "Bytes of all large buffers.").sample(&[], memory.total_bytes);
    page.family("cuzk_memory_total_peak_bytes", Gauge, "The most that cuzk_memory_total_bytes has been.")
        .sample(&[], memory.peak_bytes);
    let mut per_class = |name, help, value: fn(&cuzk_memory::ClassCount) -> u64| {
        let mut family = page.family(name, Gauge, help);
        for class in &memory.classes {
            family.sample(&[("class", &class.class)], value(class));
        }
    };
    per_class("cuzk_memory_buffers", "Large buffers in flight.", |class| class.count);
    per_class("cuzk_memory_bytes", "Bytes of large buffers in flight.", |class| class.bytes);
    per_class("cuzk_memory_peak_buffers", "The most buffers at once.", |class| class.peak_count);
    per_class("cuzk_memory_peak_bytes", "The most bytes at once.", |class| class.peak_bytes);
}
