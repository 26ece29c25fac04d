import type { Contract } from '#sdk/index.ts'
import { vatWords } from '../../app/contracts/terms-facts.tsx'
import { Fact, Facts } from '../../components/facts.tsx'

/** The two who agree on the terms, the company as it is registered, and the VAT that their invoices have. */
export function Parties({ contract: { legal_entity, worker_name, tax } }: { contract: Contract }) {
  return (
    <Facts>
      <Fact name="Between">
        <bdi>{legal_entity.name}</bdi>
      </Fact>
      <Fact name="and you">
        <bdi>{worker_name}</bdi>
      </Fact>
      <Fact name="VAT on invoices">{vatWords(tax)}</Fact>
    </Facts>
  )
}
