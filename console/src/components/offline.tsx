import { useOnline } from '../lib/use-online.ts'
import { Banner } from './banner.tsx'

/** Without a connection nothing can be written, which is better said before somebody types. */
export function Offline() {
  const isOnline = useOnline()
  return isOnline ? null : <Banner tone="warning" title="You are offline. Nothing can be changed until you are back." />
}
