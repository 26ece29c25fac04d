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
