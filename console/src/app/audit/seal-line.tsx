import { CopyButton } from '../../components/copy-button.tsx'
import { Moment } from '../../components/moment.tsx'
import { countOf } from '../../lib/format.ts'
import { stint } from '../../lib/service.ts'
import { useAnswer } from '../../lib/use-answer.ts'

const again_ms = 30_000

/** Tells how far the log is sealed, with the seal to keep elsewhere; nothing while that is not known. */
export function SealLine() {
  const { value: seal } = useAnswer(stint.audit.get_seal, {}, again_ms)
  if (!seal) return null
  if (seal.sealed_at === null) return <p>Nothing is sealed yet.</p>
  return (
    <p>
      Sealed up to <Moment at={seal.sealed_at} isExact />: {countOf(seal.entries_total, 'entry')} in{' '}
      {countOf(seal.batch, 'batch', 'batches')}.{' '}
      <CopyButton text={JSON.stringify(seal)} label="Copy seal" what="to keep it elsewhere" />
    </p>
  )
}
