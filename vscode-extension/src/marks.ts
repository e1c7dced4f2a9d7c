// This file draws the signs of catches: a shape for each kind, so that it can be told without its colour. It knows nothing of VS Code.

/** A shape in a square of 16, filled or drawn with lines of a colour. */
const shapes = {
  triangle: '<path d="M8 2 14.5 13.5H1.5Z" fill="currentColor"/>',
  diamond: '<path d="M8 1.5 14.5 8 8 14.5 1.5 8Z" fill="currentColor"/>',
  circle: '<circle cx="8" cy="8" r="5.2" fill="none" stroke="currentColor" stroke-width="1.8"/>',
  question: '<path d="M5.2 5.4a2.8 2.8 0 1 1 4.3 2.4C8.5 8.5 8 9 8 10.2" fill="none" stroke="currentColor" stroke-width="1.8"/><circle cx="8" cy="13.2" r="1.2" fill="currentColor"/>',
  check: '<path d="M2.8 8.6 6.4 12.2 13.2 4" fill="none" stroke="currentColor" stroke-width="2"/>',
  dot: '<circle cx="8" cy="8" r="2.2" fill="currentColor"/>',
};

export interface Mark {
  shape: keyof typeof shapes;
  color: string; // ID of a colour of the manifest
}

/** The mark of each kind, as Neovim's signs. A kind without a mark has not been run, or cannot be. */
export const marks: Record<string, Mark | undefined> = {
  'depends': { shape: 'triangle', color: 'catchlens.depends' },
  'unpredicted': { shape: 'diamond', color: 'catchlens.depends' },
  'untested': { shape: 'circle', color: 'catchlens.untested' },
  'faults': { shape: 'circle', color: 'catchlens.untested' },
  'unknown': { shape: 'question', color: 'catchlens.untested' },
  'copes': { shape: 'check', color: 'catchlens.copes' },
  'accepted': { shape: 'dot', color: 'catchlens.accepted' },
};

/** A mark as an image. A stale one is smaller, with a tilde below it. */
export function drawn(shape: Mark['shape'], stale: boolean, color: string): string {
  const body = stale ? `<g transform="scale(.72)">${shapes[shape]}</g><path d="M8.6 13.4c1-1.9 2.2-1.9 3.2-.4s2.2 1.5 3.2-.4" fill="none" stroke="currentColor" stroke-width="1.4"/>` : shapes[shape];
  return `<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16" viewBox="0 0 16 16" stroke-linecap="round" stroke-linejoin="round">${body.replaceAll('currentColor', color)}</svg>`;
}

/** The kinds of themes, as the manifest names the defaults of a colour. */
export type ThemeKind = 'dark' | 'light' | 'highContrast' | 'highContrastLight';

/** A colour as the manifest declares it. */
export interface Declared {
  id: string;
  defaults: Record<ThemeKind, string>;
}

/**
 * The colour of an ID: what workbench.colorCustomizations says of it for a theme, else for all, else the default.
 * An image cannot ask VS Code for a colour, and what a theme itself says of one is not told.
 */
export function colorOf(id: string, kind: ThemeKind, theme: string, customized: unknown, declared: readonly Declared[]): string {
  const all = table(customized);
  const ofTheme = Object.entries(all).filter(([name]) => isFor(name, theme)).map(([, colors]) => table(colors)[id]);
  // Only a colour is written into an image, whatever a workspace's settings hold.
  const found = [...ofTheme.reverse(), all[id]].find(c => typeof c === 'string' && /^#(?:[\da-f]{3,4}|[\da-f]{6}|[\da-f]{8})$/i.test(c));
  return found as string | undefined ?? declared.find(c => c.id === id)?.defaults[kind] ?? '#808080';
}

const table = (x: unknown): Record<string, unknown> => typeof x === 'object' && x !== null ? x as Record<string, unknown> : {};

/** Whether a key such as "[Abyss][Red*]" names a theme. */
function isFor(key: string, theme: string): boolean {
  return [...key.matchAll(/\[([^\]]+)\]/g)].some(m => new RegExp(`^${m[1].split('*').map(p => p.replace(/[\\^$.+?()|{}[\]]/g, '\\$&')).join('.*')}$`).test(theme));
}
