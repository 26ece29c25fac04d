import type { Contract } from '#sdk/index.ts'
import { Fact, Facts } from '../../components/facts.tsx'
import { Moment } from '../../components/moment.tsx'

/** The signatures of both, with their times. */
export function Signatures({ contract, employer }: { contract: Contract; employer: string }) {
  const { client_name, client_signed_at, worker_name, worker_signed_at } = contract.signatures
  if (client_signed_at === null && worker_signed_at === null) return null
  return (
    <section className="panel" aria-labelledby="signatures">
      <h2 id="signatures">Signatures</h2>
      <Facts>
        <Fact name={employer}>
          <Signature name={client_name} at={client_signed_at} />
        </Fact>
        <Fact name="You">
          <Signature name={worker_name} at={worker_signed_at} />
        </Fact>
      </Facts>
    </section>
  )
}

function Signature({ name, at }: { name: string | null; at: string | null }) {
  if (at === null) return <span className="none">not yet</span>
  return (
    <span>
      <bdi>{name}</bdi>, <Moment at={at} isExact />
    </span>
  )
}
