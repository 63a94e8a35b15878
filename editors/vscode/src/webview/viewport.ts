// A drawing that can be moved and zoomed: by pointer, by wheel, by keyboard and by buttons.

/** Bounds of the scale. The text of the drawing has at least 12 px at a scale of 1. */
const LEAST_SCALE = 0.2;
const MOST_SCALE = 4;

/** One step of a button or key. */
const ZOOM_STEP = 1.25;
const PAN_STEP = 60;

/** A pointer that moves less than this, in pixels, has clicked. */
const CLICK = 4;

/** Room around something that is brought into view. */
const MARGIN = 24;

/** A rectangle of the drawing. */
export interface Area {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** The part of a drawing that can be seen. */
export class Viewport {
  private scale = 1;
  private x = 0;
  private y = 0;
  private size = { width: 0, height: 0 };

  constructor(
    private readonly frame: SVGSVGElement,
    private readonly scene: SVGGElement,
  ) {
    this.listen();
  }

  /** Shows a new drawing, of this size: as it is if there is room, otherwise its upper part. */
  reset(width: number, height: number): void {
    this.size = { width, height };
    this.scale = 1;
    this.x = (this.frame.clientWidth - width) / 2;
    this.y = Math.max(0, (this.frame.clientHeight - height) / 2);
    this.apply();
  }

  /** Shows the whole drawing. */
  fit(): void {
    const { width, height } = this.size;
    const { clientWidth, clientHeight } = this.frame;
    this.scale = bounded(Math.min(clientWidth / width, clientHeight / height, 1));
    this.x = (clientWidth - width * this.scale) / 2;
    this.y = (clientHeight - height * this.scale) / 2;
    this.apply();
  }

  zoomIn(): void {
    this.zoom(ZOOM_STEP);
  }

  zoomOut(): void {
    this.zoom(1 / ZOOM_STEP);
  }

  /** Moves the drawing as little as is needed to show an area. */
  reveal({ x, y, width, height }: Area): void {
    this.x += shift(this.x + x * this.scale, width * this.scale, this.frame.clientWidth);
    this.y += shift(this.y + y * this.scale, height * this.scale, this.frame.clientHeight);
    this.apply();
  }

  /** Zooms, and keeps a point where it is. */
  private zoom(factor: number, x = this.frame.clientWidth / 2, y = this.frame.clientHeight / 2): void {
    const scale = bounded(this.scale * factor);
    this.x = x - ((x - this.x) * scale) / this.scale;
    this.y = y - ((y - this.y) * scale) / this.scale;
    this.scale = scale;
    this.apply();
  }

  private pan(x: number, y: number): void {
    this.x += x;
    this.y += y;
    this.apply();
  }

  private apply(): void {
    this.scene.setAttribute('transform', `translate(${this.x} ${this.y}) scale(${this.scale})`);
  }

  private listen(): void {
    this.frame.addEventListener('wheel', (event) => {
      event.preventDefault();
      if (event.ctrlKey || event.metaKey) {
        this.zoom(Math.exp(-event.deltaY / 200), event.offsetX, event.offsetY);
      } else {
        this.pan(-event.deltaX, -event.deltaY);
      }
    }, { passive: false });
    this.frame.addEventListener('keydown', (event) => {
      const actions: Partial<Record<string, () => void>> = {
        ArrowLeft: () => { this.pan(PAN_STEP, 0); },
        ArrowRight: () => { this.pan(-PAN_STEP, 0); },
        ArrowUp: () => { this.pan(0, PAN_STEP); },
        ArrowDown: () => { this.pan(0, -PAN_STEP); },
        '+': () => { this.zoomIn(); },
        '=': () => { this.zoomIn(); },
        '-': () => { this.zoomOut(); },
        '0': () => { this.fit(); },
      };
      const action = actions[event.key];
      if (action && !event.ctrlKey && !event.metaKey) {
        event.preventDefault();
        action();
      }
    });
    this.listenToDrags();
  }

  private listenToDrags(): void {
    let moved = 0;
    this.frame.addEventListener('pointerdown', () => {
      moved = 0;
    });
    this.frame.addEventListener('pointermove', (event) => {
      if (event.buttons !== 1) {
        return;
      }
      moved += Math.abs(event.movementX) + Math.abs(event.movementY);
      if (moved > CLICK) {
        // A captured pointer keeps moving the drawing outside of the frame.
        this.frame.setPointerCapture(event.pointerId);
        this.pan(event.movementX, event.movementY);
      }
    });
    // A drag that ends on a module does not choose it.
    this.frame.addEventListener('click', (event) => {
      if (moved > CLICK) {
        event.stopPropagation();
      }
    }, { capture: true });
  }
}

function bounded(scale: number): number {
  return Math.min(MOST_SCALE, Math.max(LEAST_SCALE, scale));
}

/** How far a stretch has to move to lie within a frame. */
function shift(start: number, length: number, frame: number): number {
  const before = MARGIN - start;
  const after = start + length + MARGIN - frame;
  return before > 0 ? before : -Math.max(0, after);
}
