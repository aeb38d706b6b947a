//! `cuzk`: the proving daemon and the tools around it.

#![forbid(unsafe_code)]

mod args;
mod bench;
mod child;
mod circuits;
mod demo;
mod files;
mod local;
mod params;
mod progress;
mod prove;
mod serve;
mod status;
mod submission;
mod submit;
mod synth;
mod table;
mod verify;

use std::{
    io::{IsTerminal, stderr},
    process::ExitCode,
};

use clap::Parser;
use tracing_subscriber::EnvFilter;

use args::{BenchCommand, Cli, Command};

fn main() -> ExitCode {
    let cli = Cli::parse();
    start_logging();
    match run(cli) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {}", explain(&error));
            ExitCode::FAILURE
        }
    }
}

fn run(cli: Cli) -> anyhow::Result<ExitCode> {
    let json = cli.json;
    match cli.command {
        Command::Serve(args) => serve::run(&args)?,
        Command::Submit(args) => submit::run(&args, json)?,
        Command::Prove(args) => prove::run(&args, json)?,
        Command::Verify(args) => return verify::run(&args, json),
        Command::Status(args) => status::run(&args, json)?,
        Command::Params(args) => return params::run(&args, json),
        Command::Circuits(args) => return circuits::run(&args, json),
        Command::Bench(BenchCommand::Solve(args)) => bench::solve(&args, json)?,
        Command::Synth(args) => synth::run(&args, json)?,
        Command::Demo(args) => demo::run(&args)?,
        Command::Judge => return Ok(child::judge()),
        Command::Seal => return Ok(child::seal()),
    }
    Ok(ExitCode::SUCCESS)
}

/// The error with its causes, less those that the text before says already.
fn explain(error: &anyhow::Error) -> String {
    error.chain().map(ToString::to_string).fold(String::new(), |text, cause| match text.as_str() {
        "" => cause,
        known if known.contains(&cause) => text,
        known => format!("{known}: {cause}"),
    })
}

/// Events go to standard error, chosen by `RUST_LOG`; warnings and our own notices by default.
fn start_logging() {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("warn,cuzk=info"));
    let colours = stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(stderr).with_ansi(colours).init();
}
