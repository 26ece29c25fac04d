import type { Contract } from '#sdk/index.ts'
import { CopyButton } from '../../components/copy-button.tsx'
import { Fact } from '../../components/facts.tsx'
import { Moment } from '../../components/moment.tsx'
import { SaidBy } from '../../components/said-by.tsx'
import { Link } from '../../lib/router.tsx'
import { AsCurl } from '../as-curl.tsx'
import { useMe } from '../me.tsx'
import { OtherFacts, TermsFacts } from './terms-facts.tsx'

/** The terms in force, or proposed while nobody is bound. */
export function TermsTab({ contract }: { contract: Contract }) {
  const { can } = useMe()
  const { id, status, terms_version, created_by, created_at, updated_at, current_amendment_id } = contract
  return (
    <>
      <section className="panel" aria-labelledby="terms">
        <header className="panel-head">
          <h2 id="terms">{status === 'pending' ? 'Proposed terms' : 'Terms'}</h2>
          {status === 'pending' && can('contracts:write') ? (
            <Link className="button secondary small" to={`/contracts/${id}/edit`}>
              Edit
            </Link>
          ) : null}
        </header>
        <p className="hint">
          Version {terms_version}
          {current_amendment_id ? (
            <>
              , by <Link to={`/contracts/${id}?tab=amendments`}>an amendment</Link>
            </>
          ) : null}
          .
        </p>
        <TermsFacts contract={contract} />
      </section>
      <section className="panel" aria-labelledby="details">
        <header className="panel-head">
          <h2 id="details">Details</h2>
          {status !== 'pending' && can('contracts:write') ? (
            <Link className="button secondary small" to={`/contracts/${id}/edit`}>
              Edit
            </Link>
          ) : null}
        </header>
        <OtherFacts contract={contract}>
          <Fact name="Created">
            <SaidBy at={created_at} by={created_by} />
          </Fact>
          <Fact name="Changed">
            <Moment at={updated_at} />
          </Fact>
          <Fact name="Id">
            <code>{id}</code> <CopyButton text={id} what="contract id" />
            <AsCurl method="GET" path={`/contracts/${id}`} />
          </Fact>
        </OtherFacts>
      </section>
    </>
  )
}
