"""A gateway before the documented provider of `mock-upstream`, for scripts that drive it with real clients."""

import json
import os
import subprocess
from contextlib import contextmanager
from pathlib import Path

MOCK = "127.0.0.1:7397"
MODEL = "documented"
PROTOCOLS = ["chat", "responses", "messages"]
QUESTION = "where is verify_token?"
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


# Names of the same models for clients that accept only names that they know.
ANTHROPICS_NAMES = {"chat": "claude-sonnet-4-5", "responses": "claude-opus-4-5", "messages": "claude-haiku-4-5"}


def only(protocol):
    """The model whose provider speaks nothing but a protocol."""
    return f"{protocol}-only"


@contextmanager
def served(craig, mock, home):
    """The gateway's URL and a key, while it runs; it must end well, and its log must show neither the key nor the question."""
    provider = subprocess.Popen([mock, MOCK])
    try:
        gateway, url, key = start(craig, home)
        try:
            yield url, key
        finally:
            gateway.terminate()
            log = gateway.stderr.read()
        assert gateway.wait(40) == 0 and "verify_token" not in log and key not in log, log[-2000:]
    finally:
        provider.terminate()


def start(craig, home):
    file = Path(home, "upstreams.toml")
    # All protocols, and for translation a model of each that is served in no other.
    upstreams = [([MODEL], PROTOCOLS)] + [([only(name), ANTHROPICS_NAMES[name]], [name]) for name in PROTOCOLS]
    models = lambda names: ", ".join(f'{name} = "{MODEL}"' for name in names)
    file.write_text("".join(f'[[upstream]]\nname = "{names[0]}"\nbase_url = "http://{MOCK}"\nkey_env = "PROVIDER_KEY"\nonly_listed = true\n'
                            f'models = {{ {models(names)} }}\nprotocols = {json.dumps(protocols)}\n'
                            for names, protocols in upstreams))
    settings = {"gateway.address": "127.0.0.1:0", "gateway.upstreams": file, "gateway.keys": f"{home}/keys.json", "gateway.tries": "1"}
    command = [craig, "--db", f"{home}/craig.db"] + [f"--set={key}={value}" for key, value in settings.items()]
    environment = {**os.environ, "HOME": str(home), "PROVIDER_KEY": "provider-key"}
    environment.pop("CRAIG_CONFIG", None)
    key = json.loads(subprocess.check_output(command + ["--format", "json", "gateway", "keys", "add", "clients"], env=environment))["key"]
    process = subprocess.Popen(command + ["gateway"], env=environment, stderr=subprocess.PIPE, text=True)
    return process, f"http://{json.loads(process.stderr.readline())['address']}", key


def run_node(script, folder, *arguments):
    """Runs a script beside this file with the modules of `folder`; gives what it prints."""
    # Modules are looked for beside the script: it is run from where they are.
    copy = Path(folder, script)
    copy.write_text(Path(__file__).with_name(script).read_text())
    try:
        return subprocess.run(["node", copy.name, *arguments], cwd=folder, stdout=subprocess.PIPE, text=True, check=True).stdout
    finally:
        copy.unlink()
