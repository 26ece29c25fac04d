/** Revisions that carry their version in every request. */
export const modern_versions = ['2026-07-28']

/** Revisions that negotiate it in `initialize`; the first is offered to who asks for an unknown one. */
const older_versions = ['2025-11-25', '2025-06-18', '2025-03-26']

/** Every revision that is served; all of them are named to who asks, whichever era it speaks. */
export const supported_versions = [...modern_versions, ...older_versions]
