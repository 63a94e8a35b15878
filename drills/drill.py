"""What all drills share: arguments, a home directory of their own, running craig, counting trials and faults.

A drill is a script of this folder that damages or attacks Craig on purpose and checks how it reacts:

    drills/kills CRAIG            the short form, for continuous integration
    drills/kills CRAIG --long     as many trials as in the table of docs/reliability.md

It prints each fault with everything needed to reproduce it, then one line, `kills: 79 trials, 0 faults, 12 s`. It
exits with 1 if there was a fault, and with 75 if something that it needs is not available here. It uses Python's
standard library only.
"""

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SKIPPED = 75


class Drill:
    """One run of a drill, in a temporary home that is removed afterwards.

        with Drill(__doc__, short=20, long=300) as drill:
            for trial in drill.trials():
                done = drill.craig("search", "x", cwd=tree)
                drill.expect(done.returncode == 0, "search fails", done)
    """

    def __init__(self, doc, short, long, **arguments):
        """`short` and `long`: how many trials either form has. `arguments`: further ones, as `add_argument` takes them."""
        parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
        parser.add_argument("craig", type=Path, help="the craig program")
        parser.add_argument("--long", action="store_true", help=f"{long} trials instead of {short}")
        parser.add_argument("--trials", type=int, help="this many trials")
        parser.add_argument("--seed", type=int, default=1, help="of everything that is random; default 1")
        parser.add_argument("--keep", action="store_true", help="keep the temporary home, and print where it is")
        parser.add_argument("--postgres", action="store_true", help="on the PostgreSQL server that CRAIG_TEST_POSTGRES names")
        for name, options in arguments.items():
            parser.add_argument(f"--{name.replace('_', '-')}", **options)
        self.arguments = parser.parse_args()
        self.name = Path(sys.argv[0]).name
        self.program = self.arguments.craig.resolve()
        self.is_long = self.arguments.long
        self.n_trials = self.arguments.trials or (long if self.is_long else short)
        self.random = random.Random(self.arguments.seed)
        self.n_run = 0
        self.faults = []
        self.started_processes = []

    def __enter__(self):
        self.started = time.monotonic()
        self.home = Path(tempfile.mkdtemp(prefix=f"craig-{self.name}-")).resolve()
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("CRAIG_", "XDG_"))}
        self.environment = {**kept, "HOME": str(self.home), "XDG_DATA_HOME": str(self.home / "data"), "NO_COLOR": "1"}
        self.schema = f"drill_{self.home.name.rsplit('-')[-1]}" if self.arguments.postgres else None
        if self.schema:
            self.sql(f'CREATE SCHEMA "{self.schema}"')
            self.environment["CRAIG_DB"] = self.database
        return self

    def __exit__(self, kind, error, _):
        seconds = time.monotonic() - self.started
        for process in self.started_processes:
            process.kill()
            process.wait()
        if self.arguments.keep:
            print(f"kept: {self.home} {self.schema or ''}")
        else:
            if self.schema:
                self.sql(f'DROP SCHEMA "{self.schema}" CASCADE')
            self.make_writable()
            shutil.rmtree(self.home, ignore_errors=True)
        if kind is not None:
            return
        print(f"{self.name}: {self.n_run} trials, {len(self.faults)} faults, {seconds:.0f} s")
        sys.exit(1 if self.faults else 0)

    def make_writable(self):
        for folder, _, _ in os.walk(self.home):
            os.chmod(folder, 0o700)

    def trials(self):
        """Numbers from 0, and counts them."""
        for number in range(self.n_trials):
            self.n_run += 1
            yield number

    @property
    def database(self):
        """Where craig keeps its database: a path, or the address of a schema on the server."""
        if self.schema:
            server = os.environ.get("CRAIG_TEST_POSTGRES") or skip("CRAIG_TEST_POSTGRES names no server: see scripts/with-postgres")
            return f"{server}{'&' if '?' in server else '?'}options=-csearch_path%3D{self.schema}"
        return self.home / "data" / "craig" / "craig.db"

    def machines(self):
        """The environments of the machines that use the database: two with a data folder each if it is on a server."""
        other = {**self.environment, "XDG_DATA_HOME": str(self.home / "other-data")}
        return [self.environment, other] if self.schema else [self.environment]

    def forget_database(self):
        """Removes the database and everything derived from it."""
        shutil.rmtree(self.home / "data" / "craig", ignore_errors=True)
        if self.schema:
            self.sql(f'DROP SCHEMA "{self.schema}" CASCADE; CREATE SCHEMA "{self.schema}"')

    def index_folders(self):
        """The folders of the indexes of all projects."""
        return [manifest.parent for manifest in (self.home / "data" / "craig").rglob("manifest.json")]

    def sql(self, statements):
        """Runs statements on the server; gives what they print."""
        if not os.environ.get("CRAIG_TEST_POSTGRES") or not shutil.which("psql"):
            skip("no server in CRAIG_TEST_POSTGRES, or no psql: see scripts/with-postgres")
        command = ["psql", "--no-psqlrc", "--quiet", "--tuples-only", "--no-align", os.environ["CRAIG_TEST_POSTGRES"], "-c", statements]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    def craig(self, *arguments, cwd=None, timeout=60, **options):
        """Runs craig to its end; output is kept as bytes. One that outlives `timeout` seconds has the return code None."""
        command = [self.program, *map(str, arguments)]
        options = {"env": self.environment, "stdin": subprocess.DEVNULL, **options}
        try:
            return subprocess.run(command, cwd=cwd or self.home, capture_output=True, timeout=timeout, **options)
        except subprocess.TimeoutExpired as late:
            return subprocess.CompletedProcess(command, None, late.stdout or b"", late.stderr or b"")

    def json(self, *arguments, **options):
        """What craig answers as JSON; fails the drill when it does not answer."""
        done = self.craig(*arguments, "--format", "json", **options)
        assert done.returncode == 0, describe(done)
        return json.loads(done.stdout)

    def start(self, *arguments, cwd=None, **options):
        """Starts craig and gives the process, which is killed when the drill ends."""
        options = {"env": self.environment, "stdin": subprocess.DEVNULL, **options}
        process = subprocess.Popen([self.program, *map(str, arguments)], cwd=cwd or self.home, **options)
        self.started_processes.append(process)
        return process

    def expect(self, holds, fault, evidence=None):
        """Counts a fault unless it `holds`; gives whether it does. `evidence` is printed: a finished process, or anything."""
        if not holds:
            self.faults.append(fault)
            print(f"FAULT {fault}\n{describe(evidence)}".rstrip())
        return holds

    def expect_sane(self, done, fault):
        """An answer or an error, but no panic, no signal and no hang."""
        is_sane = done.returncode in (0, 1, 2) and b"panicked" not in done.stderr
        return self.expect(is_sane, fault, done)


def describe(evidence):
    """A finished process as text to read, shortened; anything else as it prints."""
    if not isinstance(evidence, subprocess.CompletedProcess):
        return "" if evidence is None else f"    {evidence}"
    command = " ".join(str(argument) for argument in evidence.args)
    shown = [f"    $ {command}", f"    exit code {evidence.returncode}"]
    for stream in (evidence.stdout, evidence.stderr):
        text = stream.decode(errors="replace") if isinstance(stream, bytes) else stream or ""
        shown += [f"    | {line[:300]!r}" for line in text.splitlines()[:12]]
    return "\n".join(shown)


def skip(reason):
    """Ends the drill where it cannot run."""
    print(f"skipped: {reason}")
    sys.exit(SKIPPED)


def write_tree(root, files):
    """Writes {path: text or bytes} below `root`."""
    for path, content in files.items():
        target = Path(root) / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content.encode() if isinstance(content, str) else content)
    return Path(root)


def write_code(root, n_files, seed=1):
    """A tree of generated Rust, Python and Markdown with words of its own in every file, for craig to take in."""
    pick = random.Random(seed)
    words = "account billing cache daemon event filter gateway handler index journal kernel ledger merge network".split()
    files = {}
    for number in range(n_files):
        noun, verb = pick.choice(words), pick.choice(words)
        name = f"{verb}_{noun}_{number}"
        match number % 3:
            case 0:
                path = f"src/{noun}/{name}.rs"
                text = f"/// Moves the {noun} of {name}.\npub fn {name}(value: u32) -> u32 {{\n    let {verb} = value + {number};\n    {verb} * 2\n}}\n"
            case 1:
                path = f"lib/{noun}/{name}.py"
                text = f"def {name}(value):\n    \"\"\"Reads the {noun} by its {verb}.\"\"\"\n    return value + {number}\n"
            case _:
                path = f"docs/{noun}/{name}.md"
                text = f"# {name}\n\nThe {noun} and the {verb} of `{name}` belong together.\n"
        files[path] = text
    return write_tree(root, files)
