/**
 * A number as people type it, as the API takes it: `1,250.00`, `1.250,00` and `1 250,00` are `1250.00`, and `45,50` is
 * `45.50`. With both signs the last one is the decimal sign. A single comma before three digits parts thousands, as on
 * these pages; a single dot is always the decimal sign. Anything else stays as it is, for the service to refuse.
 */
export function decimalOf(text: string): string {
  const plain = text.trim().replaceAll(/[\s\u00a0\u202f'’]/g, '')
  if (/^[1-9]\d{0,2}(,\d{3})+(\.\d+)?$/.test(plain)) return plain.replaceAll(',', '')
  if (/^[1-9]\d{0,2}(\.\d{3})+,\d+$/.test(plain) || /^[1-9]\d{0,2}(\.\d{3}){2,}$/.test(plain)) {
    return plain.replaceAll('.', '').replace(',', '.')
  }
  return /^\d+,\d+$/.test(plain) ? plain.replace(',', '.') : plain
}
