import { graphemesOf, textWidth } from './text-width.js'

/** A text in lines of at most `width` places: broken at spaces, behind `/` and `,`, and in the middle of what is longer than a line. */
export function wrapText(text: string, width: number): readonly string[] {
  const lines: string[] = []
  let line = ''
  for (const piece of text.split(/(?<=[ /,])/)) {
    if (textWidth(line + piece.trimEnd()) <= width) {
      line += piece
      continue
    }
    if (line !== '') lines.push(line.trimEnd())
    line = ''
    for (const grapheme of graphemesOf(piece)) {
      if (line !== '' && textWidth(line + grapheme) > width) {
        lines.push(line)
        line = ''
      }
      line += grapheme
    }
  }
  lines.push(line.trimEnd())
  return lines
}
