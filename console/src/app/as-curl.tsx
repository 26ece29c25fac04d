import { CopyButton } from '../components/copy-button.tsx'
import { curlOf } from './curl.ts'
import { useMe } from './me.tsx'

interface AsCurlProps {
  method: string
  /** Below the address of the API, e.g. `/contracts/…`. */
  path: string
  body?: unknown
}

/** Copies the call that a program would make for the same; the token is left to the variable `STINT_TOKEN`. */
export function AsCurl({ method, path, body }: AsCurlProps) {
  const { base_url } = useMe()
  return <CopyButton text={curlOf(base_url, method, path, body)} label="Copy as curl" what="call as curl" />
}
