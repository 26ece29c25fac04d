import { Code } from '../components/code.tsx'
import { curlOf } from './curl.ts'
import { useMe } from './me.tsx'

/** A call that every token may make, and what to add where the service made its certificate itself. */
export function FirstCall() {
  const { base_url } = useMe()
  return (
    <>
      <Code text={curlOf(base_url, 'GET', '/overview')} what="first call" />
      <p className="hint">
        Where curl does not know the certificate, add <code>--cacert</code> and the file <code>ca.pem</code> that the
        start of the service names.
      </p>
    </>
  )
}
