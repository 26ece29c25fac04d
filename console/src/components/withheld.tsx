/** Stands where the own role does not see a value, so that nobody takes it for a value that is missing. */
export function Withheld() {
  return (
    <span className="none" title="Your role does not see this">
      hidden by role
    </span>
  )
}
