#!/usr/bin/env python3
"""Precision and recall of `craig references` against truth files in the format of evals/symbols.

    score.py --craig BINARY --repos FOLDER --work FOLDER [--set dev|held-out] [--lost FILE.json] TRUTH.json…

Each repository is ingested once for each binary into WORK, and every symbol is asked by its place. A line counts once,
whatever its role; what the truth leaves open (`unresolved`, files in `skip`, vendored and generated files) counts neither
for nor against. What the default confidence (70) shows is a claim. Overloads, which the truth takes as one symbol, are
asked one by one, and their answers united. Missing and wrong lines are written only for sets named by --set.
"""
import argparse, fnmatch, functools, json, os, pathlib, re, subprocess, sys, time
import draw

NO_OVERRIDES = ("python", "go", "c", "cpp")
OVERLOADS = ("java", "kotlin", "csharp")
CLAIM = 70


def ask(craig, repo, db, home, place):
    env = {**os.environ, "HOME": home, "CRAIG_DB": db}
    run = subprocess.run([craig, "references", place, "--format", "json", "-n", "0", "--all", "--no-refresh"], cwd=repo, env=env, capture_output=True, text=True)
    try:
        return json.loads(run.stdout)
    except ValueError:
        return {"error": (run.stdout + run.stderr)[:300]}


def last(name):
    return re.split(r"::|[.#\\\\)]", name)[-1]


def ask_symbol(craig, repo, db, home, symbol):
    """The answer about the symbol itself, where its line defines several."""
    answer = ask(craig, repo, db, home, f"{symbol['path']}:{symbol['line']}")
    here = answer.get("symbol") or {}
    if "references" not in answer or last(here.get("name", "")) == last(symbol["name"]):
        return answer
    for other in answer.get("others", []):
        if last(other["name"]) == last(symbol["name"]) and (other["path"], other["line"]) == (symbol["path"], symbol["line"]):
            named = ask(craig, repo, db, home, other["name"])
            at = named.get("symbol") or {}
            if (at.get("path"), at.get("line")) == (symbol["path"], symbol["line"]):
                return named
    return answer


def ask_overloads(craig, repo, db, home, symbol):
    """The answer about a symbol with those about its other overloads."""
    answer = ask_symbol(craig, repo, db, home, symbol)
    for path, line in symbol["definitions"]:
        if "references" in answer and (path, line) != (symbol["path"], symbol["line"]):
            other = ask_symbol(craig, repo, db, home, {**symbol, "path": path, "line": line})
            answer["references"] += other.get("references", [])
    return answer


def ratio(a, b):
    return a / b if b else 1.0


def measure(args, truth_path):
    truth = json.loads(truth_path.read_text())
    args.craig, args.work, args.repos = os.path.abspath(args.craig), os.path.abspath(args.work), os.path.abspath(args.repos)
    name = truth_path.stem
    repo = os.path.join(args.repos, name)
    tag = os.path.basename(args.tag or args.craig)
    db, home = os.path.join(args.work, f"{name}.{tag}.db"), os.path.join(args.work, f"home-{tag}")
    os.makedirs(home, exist_ok=True)
    began = time.time()
    if not os.path.exists(db):
        env = {**os.environ, "HOME": home, "CRAIG_DB": db}
        run = subprocess.run([args.craig, "ingest", "-y", "-q", "."], cwd=repo, env=env, capture_output=True, text=True)
        if run.returncode:
            print(name, "ingest", run.returncode, run.stderr[-300:], file=sys.stderr)
    ingested = time.time() - began
    totals = dict.fromkeys(["right", "wrong", "missing", "cright", "cwrong", "cmissing", "with", "nothing", "errors", "wrong90", "claims90", "possible"], 0)
    details, by_symbol = [], []

    @functools.cache
    def text(path):
        try:
            return open(os.path.join(repo, path), encoding="utf-8", errors="replace").read()
        except OSError:
            return None

    @functools.cache
    def left_out(path):
        return draw.left_out(path, text(path))

    @functools.cache
    def is_comment(path, number):
        """Whether a line is one of a doc comment, whose types the truth leaves out."""
        line = (text(path) or "").split("\n")[number - 1 : number]
        return bool(line) and line[0].lstrip().startswith(("/**", "* @"))

    for symbol in truth["symbols"]:
        ask_all = ask_overloads if truth["language"] in OVERLOADS else ask_symbol
        answer = ask_all(args.craig, repo, db, home, symbol)
        definitions = {tuple(d) for d in symbol["definitions"]} | {(symbol["path"], symbol["line"])}
        mentioned = {(p, n) for p, n, _ in symbol["references"]}
        unresolved = {tuple(u) for u in symbol["unresolved"] or ()}

        def kept(line):
            if line in definitions or any(fnmatch.fnmatch(line[0], g) for g in truth["skip"]) or left_out(line[0]):
                return False
            return line in mentioned or not (symbol["unresolved"] is None or line in unresolved or is_comment(*line))

        found = answer.get("references", [])
        if "references" not in answer:
            totals["errors"] += 1
        if truth["language"] in NO_OVERRIDES:
            found = [f for f in found if f["role"] not in ("override", "implement") or (f["path"], f["line"]) in mentioned]
        best = {}
        for f in found:
            line = f["path"], f["line"]
            if kept(line):
                best[line] = max(best.get(line, 0), f["confidence"])
        claimed = {line for line, c in best.items() if c >= CLAIM}
        wanted = {line for line in mentioned if kept(line)}
        calls = {(f["path"], f["line"]) for f in found if f["role"] == "call" and f["confidence"] >= CLAIM}
        calls = {line for line in calls if kept(line)}
        wanted_calls = {(p, n) for p, n, role in symbol["references"] if role == "call"}
        wanted_calls = {line for line in wanted_calls if kept(line)}
        totals["right"] += len(claimed & wanted)
        totals["wrong"] += len(claimed - wanted)
        totals["missing"] += len(wanted - claimed)
        totals["possible"] += len([l for l in wanted - claimed if l in best])
        totals["cright"] += len(calls & wanted_calls)
        totals["cwrong"] += len(calls - wanted_calls)
        totals["cmissing"] += len(wanted_calls - calls)
        totals["with"] += bool(wanted)
        totals["nothing"] += bool(wanted) and not claimed
        sure = {line for line, c in best.items() if c >= 90}
        totals["claims90"] += len(sure)
        totals["wrong90"] += len(sure - wanted)
        by_symbol.append((ratio(len(claimed & wanted), len(claimed)), ratio(len(claimed & wanted), len(wanted))))
        roles = {(p, n): r for p, n, r in symbol["references"]}
        details.append({
            "name": symbol["name"], "kind": symbol["kind"], "path": symbol["path"], "line": symbol["line"], "wanted": len(wanted), "claimed": len(claimed),
            "asked": (answer.get("symbol") or {}).get("name"), "error": answer.get("error") if "references" not in answer else None,
            "missing": [[*l, roles.get(l), best.get(l)] for l in sorted(wanted - claimed)],
            "wrong": [[*l, best[l]] for l in sorted(claimed - wanted)],
        })
    t = totals
    n = len(truth["symbols"])
    row = {"repository": name, "language": truth["language"], "set": truth["set"], "symbols": n, "P": ratio(t["right"], t["right"] + t["wrong"]), "R": ratio(t["right"], t["right"] + t["missing"]),
           "callP": ratio(t["cright"], t["cright"] + t["cwrong"]), "callR": ratio(t["cright"], t["cright"] + t["cmissing"]),
           "symP": sum(p for p, _ in by_symbol) / n, "symR": sum(r for _, r in by_symbol) / n,
           "nothing_share": ratio(t["nothing"], t["with"]) if t["with"] else 0.0, "ingest_s": round(ingested), **t}
    print(f"{name:<12} {truth['language']:<11} {truth['set']:<8} n {n:3}  refs {row['P']:.3f} / {row['R']:.3f}  by symbol {row['symP']:.3f} / {row['symR']:.3f}  calls {row['callP']:.3f} / {row['callR']:.3f}  "
          f"nothing {t['nothing']}/{t['with']} = {row['nothing_share']:.3f}  wrong {t['wrong']} missing {t['missing']} (possible {t['possible']})  >=90: {t['wrong90']}/{t['claims90']} wrong  errors {t['errors']}  {time.time() - began:.0f} s", flush=True)
    return row, details


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--craig", required=True)
    parser.add_argument("--tag", default="")
    parser.add_argument("--repos", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--lost", help="writes missing and wrong lines of the dev repositories here")
    parser.add_argument("--rows", help="appends the rows as JSON lines here")
    parser.add_argument("truth", nargs="+", type=pathlib.Path)
    args = parser.parse_args()
    lost = {}
    for path in args.truth:
        row, details = measure(args, path)
        if args.rows:
            with open(args.rows, "a") as file:
                file.write(json.dumps(row) + "\n")
        if row["set"] == "dev":
            lost[row["repository"]] = details
    if args.lost:
        old = json.load(open(args.lost)) if os.path.exists(args.lost) else {}
        json.dump({**old, **lost}, open(args.lost, "w"), indent=1)


main()
