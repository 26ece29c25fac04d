import { useState } from 'react'
import { Code } from '../../components/code.tsx'

const node = `import { createHmac, timingSafeEqual } from 'node:crypto'

export function isGenuine(rawBody, signature, signingKey) {
  const expected = createHmac('sha256', signingKey).update('POST').update(rawBody).digest()
  const given = Buffer.from(signature ?? '', 'hex')
  return given.length === expected.length && timingSafeEqual(given, expected)
}`

const python = `import hashlib, hmac

def is_genuine(raw_body: bytes, signature: str, signing_key: str) -> bool:
    expected = hmac.new(signing_key.encode(), b"POST" + raw_body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(expected, signature or "")`

const go = `func isGenuine(rawBody []byte, signature, signingKey string) bool {
	mac := hmac.New(sha256.New, []byte(signingKey))
	mac.Write([]byte("POST"))
	mac.Write(rawBody)
	given, err := hex.DecodeString(signature)
	return err == nil && hmac.Equal(mac.Sum(nil), given)
}`

const php = `function is_genuine(string $rawBody, string $signature, string $signingKey): bool {
    return hash_equals(hash_hmac('sha256', 'POST' . $rawBody, $signingKey), $signature);
}`

const languages = { 'Node.js': node, Python: python, Go: go, PHP: php }
type Language = keyof typeof languages

/** Code with which a receiver verifies: over the raw body, compared in constant time. */
export function Snippets() {
  const [language, setLanguage] = useState<Language>('Node.js')
  return (
    <div className="stack">
      <span className="segments" role="radiogroup" aria-label="Language">
        {Object.keys(languages).map((one) => (
          <label key={one}>
            <input
              type="radio"
              name="language"
              checked={one === language}
              // The cast holds because the names are the keys.
              onChange={() => setLanguage(one as Language)}
            />
            <span>{one}</span>
          </label>
        ))}
      </span>
      <Code text={languages[language]} what={`check of the signature in ${language}`} />
      <p className="hint">
        <code>signature</code> is the header <code>x-service-signature</code>, the body the bytes as they came.
      </p>
    </div>
  )
}
