const words = `
password passwordpassword passw0rd p@ssw0rd p@ssword passwort motdepasse contrasena senha thisismypassword mypassword
admin administrator adminadmin root superuser sysadmin user test testtest guest default secret nopassword unknown
letmein letmeinplease welcome welcomehome changeme changemenow changemeplease whatever computer internet stint stintstint
iloveyou iloveyouforever trustno sunshine princess football baseball basketball superman batman dragon monkey master
shadow michael jordan charlie liverpool manchester arsenal barcelona christopher alexander elizabeth butterfly chocolate
starwars pokemon samsung abc abcd abcdef qwerty qwertyuiop qwertzuiop azertyuiop asdfghjkl zxcvbnm asdfasdf qazwsx
spring summer autumn winter january february september october november december
`

const known = new Set(words.trim().split(/\s+/))

const rows = [
  '01234567890123456789',
  '98765432109876543210',
  'abcdefghijklmnopqrstuvwxyz',
  'qwertyuiopasdfghjklzxcvbnm',
  '1q2w3e4r5t6y7u8i9o0p',
  '1qaz2wsx3edc4rfv5tgb6yhn7ujm',
  'qazwsxedcrfvtgbyhnujm',
]

/**
 * True when a password is among those that lists of leaked ones begin with: a common word with digits and signs behind
 * it, a row of keys or digits, or a short piece over and over. What is too short to be taken anyway is not in the list.
 */
export function isCommonPassword(password: string): boolean {
  const text = password.toLowerCase()
  const word = text.replace(/[\d\W_]+$/, '')
  const isRow = rows.some((row) => row.includes(text))
  return known.has(word) || known.has(text) || isRow || /^([\x20-\x7e]{1,4})\1+$/.test(text)
}
