import type { ReactNode } from 'react'
import { Link, usePath, useSearch } from '../lib/router.tsx'

interface OpenLinkProps {
  /** In the address, beside the filters that are set. */
  name: string
  id: string
  children: ReactNode
}

/** Opens the drawer of one row on the page where the list is; the address can be sent to a colleague. */
export function OpenLink({ name, id, children }: OpenLinkProps) {
  const path = usePath()
  const [search] = useSearch()
  search.set(name, id)
  return <Link to={`${path}?${search}`}>{children}</Link>
}
