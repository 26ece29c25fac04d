export type X509Library = typeof import('@peculiar/x509')

/**
 * Loads `@peculiar/x509` when a certificate must be made: 75 ms which no later start pays.
 *
 * Its dependency container (tsyringe) refuses to load without the decorator metadata reflection that no engine has.
 * The library declares none, so an empty reflection is all it needs, and only while it loads.
 */
export async function loadX509(): Promise<X509Library> {
  const absent = Object.entries(empty_reflection).filter(([name]) => !Reflect.has(Reflect, name))
  Object.assign(Reflect, Object.fromEntries(absent))
  try {
    return await import('@peculiar/x509')
  } finally {
    for (const [name] of absent) Reflect.deleteProperty(Reflect, name)
  }
}

const empty_reflection = { getMetadata: () => undefined, getOwnMetadata: () => undefined }
