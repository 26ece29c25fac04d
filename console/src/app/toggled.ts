/** The set with or without one of its names. */
export function toggled(set: ReadonlySet<string>, name: string, isOn: boolean): ReadonlySet<string> {
  const next = new Set(set)
  if (isOn) next.add(name)
  else next.delete(name)
  return next
}
