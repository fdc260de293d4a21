const GRAPHEMES = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/** Takes two places on a terminal: https://www.unicode.org/reports/tr11/ */
const WIDE = /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}|^[\u{20000}-\u{3fffd}]/u

/** What would move the cursor, colour the screen, or turn the text around. */
const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu

/** The characters as a person sees them. */
export function graphemesOf(text: string): readonly string[] {
  return [...GRAPHEMES.segment(text)].map(({ segment }) => segment)
}

/** How many places a text takes on a terminal. */
export function textWidth(text: string): number {
  return graphemesOf(text).reduce((sum, grapheme) => sum + (WIDE.test(grapheme) ? 2 : 1), 0)
}

/** A text that came from elsewhere, on one line and without what a terminal would obey. */
export function plainText(text: string): string {
  return text.replace(/\s+/g, ' ').replace(CONTROL, '?').trim()
}
