const CODES = { bold: [1, 22], dim: [2, 22], red: [31, 39], green: [32, 39], yellow: [33, 39] } as const

/** What a text can look like. */
export type Style = keyof typeof CODES

/** Gives a text its look, or leaves it as it is where there is no colour. */
export type Paint = (style: Style, text: string) => string

/** Colours where a person looks on and has not said no: https://no-color.org */
export function createPaint(isTTY: boolean, env: Readonly<Record<string, string | undefined>>): Paint {
  const isPlain = !isTTY || (env['NO_COLOR'] ?? '') !== '' || env['TERM'] === 'dumb'
  if (isPlain) return (_style, text) => text
  return (style, text) => {
    const [on, off] = CODES[style]
    return `\u001b[${on}m${text}\u001b[${off}m`
  }
}
