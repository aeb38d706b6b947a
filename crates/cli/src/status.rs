//! `cuzk status`.

use anyhow::Context;
use cuzk_proto::{
    Client,
    v1::{GetStatusResponse, MemoryStatus, srs_status::Tier},
};
use serde_json::{Value, json};

use crate::{args::StatusArgs, table};

/// Asks a daemon and prints what it says.
pub(crate) fn run(args: &StatusArgs, json: bool) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Runtime::new().context("cannot start the I/O runtime")?;
    let status = runtime.block_on(async { Client::connect(&args.server).await?.status().await })?;
    if json {
        println!("{}", to_json(&status));
    } else {
        print(&status);
    }
    Ok(())
}

fn tier(tier: i32) -> &'static str {
    match Tier::try_from(tier) {
        Ok(Tier::Hot) => "hot",
        Ok(Tier::Warm) => "warm",
        Ok(Tier::Cold) => "cold",
        Err(_) => "unknown",
    }
}

fn print(status: &GetStatusResponse) {
    println!("cuzk {}, up {} s", status.version, status.uptime_seconds);
    println!(
        "proofs: {} completed, {} failed, {} cancelled",
        status.total_proofs_completed, status.total_proofs_failed, status.total_proofs_cancelled
    );
    if let Some(pipeline) = &status.pipeline {
        let draining = if pipeline.draining { ", draining" } else { "" };
        println!(
            "pipeline: {} workers, queue depth {}, permit {}, at most {} jobs{draining}",
            pipeline.workers, pipeline.queue_depth, pipeline.permit, pipeline.max_pending
        );
    }
    let queues = status
        .queues
        .iter()
        .map(|queue| vec![queue.proof_kind.clone(), queue.pending.to_string(), queue.in_progress.to_string()]);
    table::print(&["kind", "pending", "in progress"], &queues.collect::<Vec<_>>());
    let backends = status.backends.iter().map(|backend| {
        let job = if backend.current_job_id.is_empty() { "idle" } else { &backend.current_job_id };
        vec![backend.name.clone(), job.to_owned(), backend.current_proof_kind.clone()]
    });
    table::print(&["backend", "job", "kind"], &backends.collect::<Vec<_>>());
    let keys = status.loaded_srs.iter().map(|key| {
        vec![key.circuit_id.clone(), tier(key.tier).to_owned(), table::bytes(key.size_bytes), key.ref_count.to_string()]
    });
    table::print(&["key", "tier", "bytes", "in use by"], &keys.collect::<Vec<_>>());
    if let Some(memory) = &status.memory {
        table::print_memory(memory);
    }
}

fn to_json(status: &GetStatusResponse) -> Value {
    json!({
        "version": status.version,
        "uptime_seconds": status.uptime_seconds,
        "completed": status.total_proofs_completed,
        "failed": status.total_proofs_failed,
        "cancelled": status.total_proofs_cancelled,
        "pipeline": status.pipeline.as_ref().map(|pipeline| json!({
            "workers": pipeline.workers,
            "queue_depth": pipeline.queue_depth,
            "permit": pipeline.permit,
            "max_pending": pipeline.max_pending,
            "draining": pipeline.draining,
        })),
        "queues": status.queues.iter().map(|queue| json!({
            "kind": queue.proof_kind,
            "pending": queue.pending,
            "in_progress": queue.in_progress,
        })).collect::<Vec<_>>(),
        "backends": status.backends.iter().map(|backend| json!({
            "name": backend.name,
            "job": backend.current_job_id,
            "kind": backend.current_proof_kind,
        })).collect::<Vec<_>>(),
        "keys": status.loaded_srs.iter().map(|key| json!({
            "circuit": key.circuit_id,
            "tier": tier(key.tier),
            "bytes": key.size_bytes,
            "in_use_by": key.ref_count,
        })).collect::<Vec<_>>(),
        "memory": status.memory.as_ref().map(memory_json),
    })
}

fn memory_json(memory: &MemoryStatus) -> Value {
    json!({
        "sequence": memory.sequence,
        "total_count": memory.total_count,
        "total_bytes": memory.total_bytes,
        "peak_total_bytes": memory.peak_total_bytes,
        "classes": memory.classes.iter().map(|class| json!({
            "class": class.name,
            "count": class.count,
            "bytes": class.bytes,
            "peak_count": class.peak_count,
            "peak_bytes": class.peak_bytes,
            "bytes_at_total_peak": class.bytes_at_total_peak,
        })).collect::<Vec<_>>(),
        "rows": memory.rows.iter().map(|row| json!({
            "class": row.class,
            "stage": row.stage,
            "place": row.place,
            "count": row.count,
            "bytes": row.bytes,
        })).collect::<Vec<_>>(),
    })
}
