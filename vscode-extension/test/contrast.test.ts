// The colours of signs can be told from what they stand on (WCAG 2.2, 1.4.3: 4.5 to 1, as for text).
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { Declared, ThemeKind } from '../src/marks';

/** What VS Code's own themes have behind editors and side bars. */
const backgrounds: Record<ThemeKind, string[]> = {
  light: ['#ffffff', '#f8f8f8', '#f3f3f3'], dark: ['#1f1f1f', '#181818', '#1e1e1e', '#252526'], highContrast: ['#000000'], highContrastLight: ['#ffffff'],
};

/** The relative luminance of a colour (WCAG 2.2). */
function luminance(color: string): number {
  const [r, g, b] = [1, 3, 5].map(i => parseInt(color.slice(i, i + 2), 16) / 255).map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a: string, b: string): number {
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

test('contrast is computed as WCAG has it', () => {
  assert.equal(contrast('#ffffff', '#000000'), 21);
  assert.equal(contrast('#777777', '#ffffff').toFixed(2), '4.48');
});

test('every colour of the manifest has a contrast of 4.5 to 1 on each kind of theme', () => {
  const { colors } = (JSON.parse(readFileSync('package.json', 'utf8')) as { contributes: { colors: Declared[] } }).contributes;
  assert.ok(colors.length >= 4);
  for (const c of colors) {
    for (const [kind, behind] of Object.entries(backgrounds) as [ThemeKind, string[]][]) {
      for (const b of behind) {
        const ratio = contrast(c.defaults[kind], b);
        assert.ok(ratio >= 4.5, `${c.id} (${c.defaults[kind]}) on ${b}: ${ratio.toFixed(2)}`);
      }
    }
  }
});
