import { lazyRouteComponent } from '@tanstack/react-router'
import type { ComponentType } from 'react'
import type { Role } from '../lib/roles.ts'
import { loadSession } from '../lib/session.ts'

export { everybody, type Role } from '../lib/roles.ts'

/** The groups of the navigation, in its order; a page without a group stands above them. */
export const groups = ['Work', 'Money', 'Integration', 'Access', 'Organization'] as const

/** A page: where it is, what the navigation calls it, and who has the right to it. */
export interface PageEntry {
  /** Below `/console`; `$id` stands for one segment, which the page gets as `id`. */
  path: string
  /** In the navigation; pages without words are reached from others. */
  words?: string
  group?: (typeof groups)[number]
  /** In the palette, for a page that makes something: `New contract`. */
  creates?: string
  /** Absent: everybody. */
  roles?: readonly Role[]
  Page: ComponentType<{ id: string }> & { preload?: () => Promise<unknown> }
}

export const builders: readonly Role[] = ['owner', 'admin', 'developer']

/** The code of a page could not be loaded because the service does not answer. */
export class Away extends Error {
  override readonly name = 'Away'
}

/** True where the service answers. */
export const isServed = () =>
  loadSession().then(
    () => true,
    () => false,
  )

/**
 * A page whose code loads with its first use, or ahead when it is about to be used. Where it is missing the router loads the
 * whole page again, which is right after an update; while the service is away the browser would be left with nothing.
 */
export const page = (load: () => Promise<ComponentType<{ id: string }>>) =>
  lazyRouteComponent(async () => {
    try {
      return { default: await load() }
    } catch (fault) {
      throw (await isServed()) ? fault : new Away('the service does not answer', { cause: fault })
    }
  })
