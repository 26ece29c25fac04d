/** Revisions that carry their version in every request. */
export const modern_versions = ['2026-07-28']

/** Revisions that negotiate it in `initialize`; the first is offered to who asks for an unknown one. */
export const older_versions = ['2025-11-25', '2025-06-18', '2025-03-26']
