import type { ApiError } from './api.ts'

/** The message of a refusal at one field; below it too, as for one entry of a list. */
export function faultAt(error: ApiError | null, pointer: string): string | undefined {
  const message = error?.fields.find((one) => one.pointer === pointer || one.pointer.startsWith(`${pointer}/`))?.message
  if (!message) return undefined
  const isSentence = /^[A-Z]/.test(message) || message.includes(' is not an ')
  // Written for programs, which send a text; a person types a number.
  const example = /^must be a decimal string.*"([\d.]+)"/.exec(message)?.[1]
  if (example) return `It must be a number, such as ${example} or ${example.replace('.', ',')}.`
  const [, rule] = /^has another form: (?:[^:]*: )?(.+?)\.?(?: [A-Z].*)?$/.exec(message) ?? []
  if (rule) return `It must be ${inWords(rule)}.`
  return `${isSentence ? '' : 'It '}${message.replace(/\.$/, '')}.`
}

/** A rule of the reference as people say it: they type no strings, and no quotes around them. */
const inWords = (rule: string) =>
  rule
    .replace(/^[A-Z]/, (letter) => letter.toLowerCase())
    .replace('decimal string', 'a number')
    .replaceAll('"', '')

/** True where a refusal names none of these fields, so that it has to be said above the form. */
export function isOfNoField(error: ApiError | null, pointers: readonly string[]): error is ApiError {
  return error !== null && !pointers.some((pointer) => faultAt(error, pointer) !== undefined)
}
