import type { Contract } from '#sdk/index.ts'
import { Button } from '../../components/button.tsx'
import { Fact, Facts } from '../../components/facts.tsx'
import { Moment } from '../../components/moment.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { Withheld } from '../../components/withheld.tsx'
import { useMe } from '../me.tsx'

interface Signature {
  id: 'client' | 'worker'
  party: string
  name: string | null
  at: string | null
  by: string | null
}

interface SignaturesTabProps {
  contract: Contract
  onStep(step: 'invite' | 'link' | 'revoke_invitation'): void
}

/** The signatures with their evidence, and the invitation of the worker. */
export function SignaturesTab({ contract, onStep }: SignaturesTabProps) {
  const { can, sees, membership } = useMe()
  const { signatures, worker_name, invitation, terms_version, terms_digest } = contract
  const { client_name, client_signed_at, client_signed_by, worker_signed_at } = signatures
  const rows: Signature[] = [
    {
      ...{ id: 'client', party: membership.organization_name },
      ...{ name: client_name, at: client_signed_at, by: client_signed_by?.name ?? null },
    },
    { id: 'worker', party: worker_name, name: signatures.worker_name, at: worker_signed_at, by: null },
  ]
  return (
    <>
      <Table label="Signatures" columns={columns} rows={rows} />
      {contract.status === 'pending' && worker_signed_at === null ? (
        <section className="panel" aria-labelledby="invitation">
          <h2 id="invitation">Invitation of the worker</h2>
          {invitation ? (
            <>
              <Facts>
                <Fact name="For">
                  <bdi>{invitation.email}</bdi>
                </Fact>
                <Fact name="Made">
                  <Moment at={invitation.sent_at} isExact />
                </Fact>
                <Fact name="Ends">
                  <Moment at={invitation.expires_at} isExact />
                </Fact>
              </Facts>
              {can('contracts:write') ? (
                <div className="actions">
                  <Button look="secondary" size="small" onClick={() => onStep('link')}>
                    Show the link
                  </Button>
                  <Button look="secondary" size="small" onClick={() => onStep('invite')}>
                    Make a new one
                  </Button>
                  <Button look="secondary" size="small" onClick={() => onStep('revoke_invitation')}>
                    Take it back
                  </Button>
                </div>
              ) : null}
            </>
          ) : (
            <>
              <p>There is no open invitation. By it the worker reads the terms and signs with an own login.</p>
              {can('contracts:write') ? (
                <Button look="secondary" size="small" onClick={() => onStep('invite')}>
                  Invite the worker
                </Button>
              ) : null}
            </>
          )}
        </section>
      ) : null}
      <section className="panel" aria-labelledby="evidence">
        <h2 id="evidence">Evidence</h2>
        <p className="hint">
          Each signature keeps the digest of the terms that were read; changed terms have another one.
        </p>
        <Facts>
          <Fact name="Version">{terms_version}</Fact>
          <Fact name="Digest of the terms">
            {terms_digest === null && !sees('compensation') ? <Withheld /> : <code>{terms_digest}</code>}
          </Fact>
        </Facts>
      </section>
    </>
  )
}

const columns: readonly Column<Signature>[] = [
  { ...{ head: 'Party', look: 'main' }, cell: ({ party }) => <bdi>{party}</bdi> },
  { head: 'Signed as', cell: ({ name }) => (name ? <bdi>{name}</bdi> : <span className="none">not yet</span>) },
  {
    head: 'When',
    cell: ({ at, by }) => (
      <>
        <Moment at={at} isExact />
        {by ? (
          <span className="under">
            through the login of <bdi>{by}</bdi>
          </span>
        ) : null}
      </>
    ),
  },
]
