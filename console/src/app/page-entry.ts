import { lazyRouteComponent } from '@tanstack/react-router'
import type { ComponentType } from 'react'
import type { Role } from '../lib/roles.ts'

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

/** A page whose code loads with its first use, or ahead when it is about to be used. */
export const page = (load: () => Promise<ComponentType<{ id: string }>>) =>
  lazyRouteComponent(async () => ({ default: await load() }))
