// Short names of modules.

/**
 * The parts of each path that tell it from the others, and its last one. Parts that all its neighbours share are left out:
 * `src/main/java/org/app/io` next to `src/test/java/org/app` is `main/…/io`.
 */
export function shortNames(paths: string[]): Map<string, string> {
  const children = new Map<string, Set<string>>();
  for (const path of paths) {
    path.split('/').forEach((part, at, parts) => {
      const parent = parts.slice(0, at).join('/');
      children.set(parent, (children.get(parent) ?? new Set()).add(part));
    });
  }
  const shortened = (path: string): string => {
    const parts = path.split('/');
    const isKept = (at: number): boolean =>
      at === parts.length - 1 || (children.get(parts.slice(0, at).join('/'))?.size ?? 0) > 1;
    const first = parts.findIndex((_, at) => isKept(at));
    const marked = parts.map((part, at) => (isKept(at) ? part : '…')).slice(first);
    return marked.filter((part, at) => part !== '…' || marked[at - 1] !== '…').join('/');
  };
  return new Map(paths.map((path) => [path, shortened(path)]));
}
