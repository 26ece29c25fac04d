const present_for_ms = 60_000
let used_at_ms = Date.now()

for (const type of ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart', 'focus']) {
  addEventListener(type, () => (used_at_ms = Date.now()), { capture: true, passive: true })
}

/** True while somebody has used this page within the last minute. */
export const isAttended = () => Date.now() - used_at_ms < present_for_ms
