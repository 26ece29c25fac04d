import { readFileSync } from 'node:fs'

/** Licences that let anybody run, change and ship the whole. */
const permissive = new Set([
  'MIT',
  'MIT-0',
  'ISC',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'Unlicense',
  'CC0-1.0',
  'PostgreSQL',
  'Python-2.0',
  'CC-BY-4.0',
  'WTFPL',
  'Zlib',
  // A font may be embedded in what is made with it; only the font itself stays under its licence.
  'OFL-1.1',
])

/** A package that only builds or tests us may ask for its own changes to be published: we ship none of it. */
const allowedForDevelopment = new Set([...permissive, 'MPL-2.0'])

/** Versions whose licence was read in their file, because their package.json does not name it. */
const read: Readonly<Record<string, string>> = { 'node_modules/png-js@2.0.0': 'MIT' }

interface LockedPackage {
  version?: string
  dev?: boolean
  license?: string
  link?: boolean
}

const lock = JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8')) as {
  packages: Record<string, LockedPackage>
}
const packages = Object.entries(lock.packages).filter(([path, { link }]) => path !== '' && !link)
const refused = packages.filter(
  ([path, { version, license = read[`${path}@${version}`] ?? 'none', dev }]) =>
    !isAllowed(license, dev ? allowedForDevelopment : permissive),
)
for (const [path, { version, license = 'none' }] of refused) console.error(`${path}@${version}: ${license}`)
console.log(`${packages.length} packages, ${refused.length} under a licence that is not allowed`)
process.exitCode = refused.length > 0 ? 1 : 0

/** `(A OR B)` is a choice, `A AND B` asks for both. */
function isAllowed(expression: string, allowed: ReadonlySet<string>): boolean {
  return expression
    .replaceAll(/[()]/g, '')
    .split(' OR ')
    .some((choice) => choice.split(' AND ').every((name) => allowed.has(name.trim())))
}
