#!/usr/bin/env python3
"""What other tools say about the symbols of the labels: ripgrep on the name, universal-ctags on the definition.

compare.py --corpora DIR LABELS.json…  (needs rg and ctags on PATH)

Prints for each repository the precision and recall of lines that mention a symbol (`rg -w NAME`, definitions left out) and how
often the first definition that ctags lists for the name is the right one.
"""
import argparse, json, pathlib, subprocess


def rg_lines(folder, name):
    run = subprocess.run(["rg", "-nw0", "--no-heading", "-F", "--", name, "."], cwd=folder, capture_output=True, text=True, errors="replace")
    for line in run.stdout.splitlines():
        path, _, rest = line.partition("\0")
        number = rest.split(":", 1)[0]
        if number.isdigit():
            yield path.removeprefix("./"), int(number)


def tags(folder):
    """Definitions by name in the order of ctags."""
    run = subprocess.run(["ctags", "-R", "--output-format=json", "--fields=+nS", "-f", "-", "."], cwd=folder, capture_output=True, text=True, errors="replace")
    found = {}
    for line in run.stdout.splitlines():
        try:
            tag = json.loads(line)
        except ValueError:
            continue
        if tag.get("_type") == "tag":
            found.setdefault(tag["name"], []).append((tag["path"].removeprefix("./"), tag.get("line"), tag.get("scope")))
    return found


def last(name):
    for separator in ("::", ".", "#", "\\", ")"):
        name = name.rsplit(separator, 1)[-1]
    return name


def ratio(part, whole):
    return part / whole if whole else 1.0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpora", type=pathlib.Path, required=True)
    parser.add_argument("labels", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()
    by_language = {}
    print(f"{'repository':<16}{'language':>12}  rg P / R       ctags first")
    for path in arguments.labels:
        labels = json.loads(path.read_text())
        folder = arguments.corpora / path.stem
        all_tags = tags(folder)
        right = wrong = missing = first = 0
        skip = tuple(pattern.rstrip("*") for pattern in labels.get("skip", []))
        for symbol in labels["symbols"]:
            name = last(symbol["name"])
            definitions = {tuple(place) for place in symbol["definitions"]}
            kept = lambda place: place not in definitions and not (skip and place[0].startswith(skip))
            truth = {(p, n) for p, n, _ in symbol["references"] if kept((p, n))}
            found = {place for place in rg_lines(folder, name) if kept(place)}
            right += len(found & truth)
            wrong += len(found - truth)
            missing += len(truth - found)
            listed = all_tags.get(name, [])
            outer = symbol["name"][: -len(name)].rstrip(".:#\\")
            scoped = [tag for tag in listed if not outer or (tag[2] or "").replace("::", ".").endswith(outer.replace("::", "."))]
            best = (scoped or listed)[:1]
            first += any((p, n) in definitions for p, n, _ in best)
        n = len(labels["symbols"])
        row = (ratio(right, right + wrong), ratio(right, right + missing), first / n)
        by_language.setdefault(labels["language"], []).append(row)
        print(f"{path.stem:<16}{labels['language']:>12}  {row[0]:.3f} / {row[1]:.3f}  {row[2]:.3f}")
    means = [sum(sum(row[at] for row in rows) / len(rows) for rows in by_language.values()) / len(by_language) for at in range(3)]
    print(f"macro over languages: rg {means[0]:.3f} / {means[1]:.3f}, ctags {means[2]:.3f}")


if __name__ == "__main__":
    main()
