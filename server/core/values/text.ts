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

const characters_max = 254
const local_characters_max = 64

/** A dot-atom (RFC 5321 §4.1.2). A quoted text is allowed there too, and hardly any mail server takes one. */
const local_part = /^[\w!#$%&'*+/=?^`{|}~-]+(\.[\w!#$%&'*+/=?^`{|}~-]+)*$/

/** Labels of letters, digits and inner hyphens (RFC 1123 §2.1); two at least, and the last one is no number. */
const domain = /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+(?!\d+$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])$/i

/**
 * True when mail can be sent to it over the Internet: "ada@harbour.example". Without quoted local part, address literal
 * or a domain of one label; a domain of other scripts is written in its ASCII form (`xn--…`).
 */
export function isEmail(text: string): boolean {
  if (text.length > characters_max) return false
  const at = text.lastIndexOf('@')
  return (
    at <= local_characters_max && local_part.test(text.slice(0, Math.max(at, 0))) && domain.test(text.slice(at + 1))
  )
}

/** Characters that a tag needs by RFC 5646 §4.4.1. Longer ones are not looked at: reading one of 1 MB takes 0.1 s. */
export const locale_characters_max = 35

/** A language tag (BCP 47) in its canonical spelling: "en-us" is "en-US"; null for what is none. */
export function canonicalLocale(tag: string): string | null {
  if (tag.length > locale_characters_max) return null
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? null
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}
