const GRAPHEMES = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/** Takes two places on a terminal: https://www.unicode.org/reports/tr11/ */
const WIDE = /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}|^[\u{20000}-\u{3fffd}]/u

// eslint-disable-next-line no-control-regex -- what would move the cursor or colour the screen is what must not get there
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g

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
