import type { Host } from './consent.ts'

/** The reading of a name in ASCII, and a warning where letters that look like others could make it another's. */
export function ReadableHost({ host: { host, unicode_host, mixed_scripts } }: { host: Host }) {
  return (
    <>
      {unicode_host === host ? null : (
        <p className="reads-as">
          reads as <bdi>{unicode_host}</bdi>
        </p>
      )}
      <MixedScripts scripts={mixed_scripts} what="This address" />
    </>
  )
}

export function MixedScripts({ scripts, what }: { scripts: readonly string[]; what: string }) {
  if (scripts.length === 0) return null
  return (
    <p className="mixed-scripts">
      <strong>{what} mixes letters that look alike</strong> ({scripts.join(' and ')}). It may pretend to be another.
    </p>
  )
}
