/**
 * Characters that no text may hold: controls (C0, DEL, C1), line and paragraph separators, and the marks that turn the
 * direction of writing (UAX #9 §2), by which a name can be shown as another one. `\u` escapes work in every dialect of
 * regular expressions that reads JSON Schema.
 */
const direction_and_separators = '\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069'

/** The form of a text of one line, as a pattern for schemas. */
export const line_pattern = `^[^\\u0000-\\u001f\\u007f-\\u009f${direction_and_separators}]*$`
/** The form of a text of several lines: the same, and line feeds. */
export const lines_pattern = `^[^\\u0000-\\u0009\\u000b-\\u001f\\u007f-\\u009f${direction_and_separators}]*$`

const line = new RegExp(line_pattern, 'u')
const lines = new RegExp(lines_pattern, 'u')

/** Characters that leave no mark on a page: blanks, fillers, joiners, marks. U+2800 is a Braille cell without a dot. */
const invisible = /[\p{C}\p{Z}\p{M}\p{Default_Ignorable_Code_Point}\u2800]/gu

/**
 * A text as it is kept: composed (NFC), so that what looks the same is the same; line breaks as line feeds, whatever
 * system wrote them; without blanks at its ends.
 */
export function tidy(text: string): string {
  return text.normalize('NFC').replaceAll(/\r\n?/g, '\n').trim()
}

/** True when a text has nothing in it, or something that can be seen. */
export function isEmptyOrVisible(text: string): boolean {
  return text === '' || text.replaceAll(invisible, '') !== ''
}

/** The fault of a tidy text of one line, or null: "must have at least one visible character" */
export function faultOfLine(text: string): string | null {
  if (!line.test(text)) return text_messages.line
  return isEmptyOrVisible(text) ? null : text_messages.visible
}

/** The same of a text of several lines. */
export function faultOfLines(text: string): string | null {
  if (!lines.test(text)) return text_messages.lines
  return isEmptyOrVisible(text) ? null : text_messages.visible
}

export const text_messages = {
  line: 'must be one line, without tabs, other control characters or marks that turn the direction of writing',
  lines: 'must have no tabs, no control characters but line feeds, and no marks that turn the direction of writing',
  visible: 'must have at least one visible character',
}
