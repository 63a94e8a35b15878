// Common parts of the views' scripts.

interface Api {
  postMessage(message: unknown): void;
}

declare function acquireVsCodeApi(): Api;

/** The editor. */
export const editor = acquireVsCodeApi();

/** An element of the page by its id. */
export function byId<T extends Element = HTMLElement>(id: string): T {
  const found = document.getElementById(id);
  if (!found) {
    throw new Error(`the page has no ${id}`);
  }
  return found as unknown as T;
}

/** A new element with its class, text and children. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  { className = '', text = '' }: { className?: string; text?: string } = {},
  ...children: Node[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  made.className = className;
  made.textContent = text;
  made.append(...children);
  return made;
}

/** Handles messages from the extension, which sends them once the page is ready. */
export function onMessage<T>(handle: (message: T) => void): void {
  window.addEventListener('message', (event: MessageEvent<T>) => {
    handle(event.data);
  });
  editor.postMessage({ isReady: true });
}
