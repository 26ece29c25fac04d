/** A mistake that somebody could make in the source, and the tests that have to see it. */
export interface Mutant {
  /** The guarantee that is lost. */
  name: string
  /** File or folder that holds the text once. */
  in: string
  text: string | RegExp
  /** The text in its place; `$1` is the first group of the pattern. */
  by: string
  tests: readonly string[]
  /** Runs only tests of this name, where the files hold many others. */
  only?: string
  /** On a database server of its own: the mistake is in a migration. */
  alone?: boolean
}

const contract = (...names: string[]) => names.map((name) => `test/contract/${name}.test.ts`)
const oauth = (...names: string[]) => names.map((name) => `test/flows/oauth/${name}.test.ts`)
const contracts = (...names: string[]) => names.map((name) => `server/resources/contracts/${name}.test.ts`)

export const mutants: readonly Mutant[] = [
  // Rights
  {
    name: 'scopes are not checked',
    in: 'server/core',
    text: 'scopes.length === 0 || scopes.some((scope) => holdsScope(caller, scope))',
    by: 'true',
    tests: contract('credentials'),
  },
  {
    name: 'roles are not checked',
    in: 'server/core',
    text: 'role !== undefined && roles !== undefined && !roles.includes(role)',
    by: 'false',
    tests: contract('credentials'),
  },
  {
    name: 'an operation lost its list of roles',
    in: 'server/resources/contracts',
    text: /(id: 'contracts\.create',[\s\S]*?)roles: \['owner', 'admin'\],/,
    by: '$1',
    tests: contract('roles'),
  },
  {
    name: 'an operation lost its scope',
    in: 'server/resources/contracts',
    text: /(id: 'contracts\.update',[\s\S]*?)scopes: \['contracts:write'\],/,
    by: '$1scopes: [],',
    tests: contract('roles'),
  },
  {
    name: 'a write scope does not include reading',
    in: 'server/core',
    text: /\(scope\.endsWith\(':read'\) && caller\.scopes\.has\(.*:write`\)\)/,
    by: 'false',
    tests: contract('credentials'),
  },
  {
    name: 'a token of one resource opens the other',
    in: 'server/identity',
    text: /\$\{resource\} = any \(resources\)/,
    by: "'rest' = any (resources)",
    tests: oauth('credentials'),
  },
  // Tenancy
  {
    name: 'one table has no row-level security',
    in: 'server/db/migrations',
    text: "call protect_tenant_table('amendments');",
    by: '',
    tests: ['server/db/tenancy.test.ts'],
    alone: true,
  },
  {
    name: 'a row is found without its organization',
    in: 'server/core/table.ts',
    text: 'value === undefined ? []',
    by: "value === undefined || column === 'organization_id' ? []",
    tests: contract('tenancy'),
  },
  {
    name: 'a list does not name its organization',
    in: 'server/core/resource.ts',
    text: /\$\{of\.leaf\('organization_id'\)\.expression\} = \$\{organization_id\}/,
    by: 'true',
    tests: contract('tenancy'),
  },
  // Sensitive data
  {
    name: 'a caller without one category sees it',
    in: 'server/core/schema/fields.ts',
    text: 'plan && withheld(granted).length > 0 ?',
    by: 'plan && withheld(granted).length > 1 ?',
    tests: contract('sensitive'),
  },
  {
    name: 'a field lost its category',
    in: 'server/resources/contracts/terms.ts',
    text: "    category: 'compensation',\n",
    by: '',
    tests: contracts('get-contract'),
  },
  // Lists
  {
    name: 'a page has one row less than its limit',
    in: 'server/core/list.ts',
    text: /(limit \$\{limit) \+ 1\}/,
    by: '$1}',
    tests: contract('lists'),
  },
  {
    name: 'a cursor repeats the last row',
    in: 'server/core/list.ts',
    text: "direction === 'desc' ? '<' : '>'",
    by: "direction === 'desc' ? '<=' : '>='",
    tests: contract('lists'),
  },
  {
    name: 'the total of a catalogue counts what is left',
    in: 'server/core/list.ts',
    text: 'total_count: items.length',
    by: 'total_count: rest.length',
    tests: contract('lists'),
  },
  {
    name: 'a cursor of other filters is taken',
    in: 'server/core/list.ts',
    text: 'sha256(operation, organization_id, canonicalJson(filters))',
    by: 'sha256(operation, organization_id)',
    tests: contract('lists'),
  },
  {
    name: 'updated_after is ignored',
    in: 'server/core/list.ts',
    text: 'updated_after && updated_at ? [sql',
    by: 'false ? [sql',
    tests: contract('filters'),
  },
  ...(['any_of', 'compares', 'is_set', 'begins_words'] as const).map((kind) => ({
    name: `a filter is ignored: ${kind}`,
    in: 'server/core/resource.ts',
    text: {
      any_of: / sql`[^`]* = any \(.*`,/,
      compares: / sql`[^`]*raw\(operator\).*`,/,
      is_set: / sql`[^`]*'not null'.*`,/,
      begins_words: / conditionOfWords\(by_words_of, place, search\),/,
    }[kind],
    by: " raw('true'),",
    tests: contract('filters'),
  })),
  // Changes
  {
    name: 'no audit line is written',
    in: 'server/core',
    text: '  recordAudit(tx, entry)\n',
    by: '',
    tests: contracts('archive-contract'),
  },
  {
    name: 'a repeat is made again',
    in: 'server/core',
    text: 'if (kept) return repeat',
    by: 'if (false) return repeat',
    tests: contract('idempotency'),
  },
  {
    name: 'a key is taken for another body',
    in: 'server/core',
    text: 'if (!kept.body_digest.equals(call.body_digest)) throw idempotencyKeyReused()',
    by: '',
    tests: contract('idempotency'),
  },
  {
    name: 'parallel calls with one key are all made',
    in: 'server/core',
    text: 'if (!locked?.locked) throw',
    by: 'if (false) throw',
    tests: contract('idempotency'),
  },
  {
    name: 'If-Match is ignored',
    in: 'server/core',
    text: 'if (!isMet || !isFree) throw preconditionFailed',
    by: 'if (!isFree) throw preconditionFailed',
    tests: contract('versions'),
  },
  {
    name: 'a key of another user is found',
    in: 'server/core',
    text: 'key_digest: sha256(caller.organization_id, owner, id,',
    by: 'key_digest: sha256(caller.organization_id, id,',
    tests: ['server/core/idempotency.test.ts'],
  },
  {
    name: 'a declared event is not emitted',
    in: 'server/resources/contracts/events.ts',
    text: /emit\(archived_at \? contractArchived [^\n]*\)/,
    by: '',
    tests: contracts('archive-contract'),
  },
  {
    name: 'an undeclared event is emitted',
    in: 'server/resources/contracts/transitions.ts',
    text: 'emits: [contractArchived],',
    by: '',
    tests: contracts('archive-contract'),
  },
  {
    name: 'a contract that has not ended is archived',
    in: 'server/resources/contracts/lifecycle.ts',
    text: /if \(row\.status === 'pending' \|\| row\.status === 'active'\)( \{\s*throw invalidState\(`The contract is .{14} only an ended)/,
    by: 'if (false)$1',
    tests: contracts('archive-contract'),
  },
  {
    name: 'a contract is archived twice',
    in: 'server/resources/contracts/lifecycle.ts',
    text: "if (row.archived_at !== null) throw invalidState('The contract is archived already.')",
    by: '',
    tests: contracts('archive-contract'),
  },
  {
    name: 'a start one day too early is taken',
    in: 'server/resources/contracts/terms.ts',
    text: 'start_before_days_max = 366',
    by: 'start_before_days_max = 367',
    tests: contracts('create-contract'),
  },
  {
    name: 'the problem of a second external_id is lost',
    in: 'server/resources/contracts/contract.ts',
    text: "refuseDuplicate('contracts_external_id',",
    by: "refuseDuplicate('contracts_other_id',",
    tests: contracts('create-contract'),
  },
  // Webhooks
  {
    name: 'the signature leaves the method out',
    in: 'server/webhooks',
    text: ".update('POST').update(body)",
    by: '.update(body)',
    tests: ['server/webhooks/signature.test.ts'],
  },
  {
    name: 'a failed attempt is the last one',
    in: 'server/webhooks/delivery/decide-outcome.ts',
    text: 'if (delay_ms !== null)',
    by: 'if (delay_ms !== null && attempt_no < 0)',
    tests: ['server/webhooks/delivery/decide-outcome.test.ts'],
  },
  {
    name: 'a success leaves the counter of failures',
    in: 'server/webhooks',
    text: "if (outcome === 'succeeded') return { consecutive_failures: 0,",
    by: "if (outcome === 'succeeded') return { consecutive_failures,",
    tests: ['server/webhooks/delivery/decide-outcome.test.ts'],
  },
  {
    name: 'a subscription is disabled one failure too late',
    in: 'server/webhooks',
    text: '>= limits.disable_after',
    by: '> limits.disable_after',
    tests: ['server/webhooks/delivery/decide-outcome.test.ts'],
  },
  {
    name: 'one organization may hold all slots',
    in: 'server/webhooks/delivery/schedule.ts',
    text: '(next.held > 0 && next.held + 2 > free)',
    by: 'false',
    tests: ['server/webhooks/delivery/schedule.test.ts'],
  },
  {
    name: 'a subscription has slots before its organization is known',
    in: 'server/webhooks/delivery/schedule.ts',
    text: 'unknown.push({ queue, room: 0 })',
    by: 'unknown.push({ queue, room })',
    tests: ['server/webhooks/delivery/schedule.test.ts'],
  },
  {
    name: 'a process is ready although nobody numbers the feed',
    in: 'server/webhooks/feed',
    text: 'if (!lock?.is_ours) return null',
    by: 'if (!lock?.is_ours) return 0',
    tests: ['server/webhooks/delivery/readiness.test.ts'],
  },
  {
    name: 'a round of the engine takes as long as a subscription has deliveries',
    in: 'server/webhooks/delivery/upkeep.ts',
    text: 'while (isTimeLeft())',
    by: 'while (true)',
    tests: ['server/webhooks/delivery/upkeep.test.ts'],
  },
  {
    name: 'a claim takes from a queue on which another process works',
    in: 'server/webhooks/delivery/deliver.store.ts',
    text: "        and l.subscription_id = any (string_to_array(current_setting('app.locked_queues'), ' ')::uuid[])\n",
    by: '',
    tests: ['server/webhooks/delivery/claim-plan.test.ts'],
  },
  {
    name: 'a claim does not count what runs already',
    in: 'server/webhooks/delivery/deliver.store.ts',
    text: 'least(head.want, head.running_max - count(*))',
    by: 'least(head.want, head.running_max)',
    tests: ['server/webhooks/delivery/cap.test.ts', 'server/webhooks/delivery/claim-plan.test.ts'],
  },
  {
    name: 'a claim goes by a window that another process has changed',
    in: 'server/webhooks/delivery/deliver.store.ts',
    text: ' and l.window_size = head.window_size\n        and l.consecutive_failures = head.consecutive_failures',
    by: '',
    tests: ['server/webhooks/delivery/claim-plan.test.ts'],
  },
  {
    name: 'a subscription made while a change waited is not seen',
    in: 'server/webhooks/fan-out.store.ts',
    text: 'performance.now() - ahead.at_ms <= look_ahead_ms && ',
    by: '',
    tests: ['server/webhooks/fan-out.test.ts'],
  },
  // OAuth
  {
    name: 'PKCE is not checked',
    in: 'server/authorization',
    text: '!isVerifierOf(row.code_challenge, verifier)',
    by: 'false',
    tests: oauth('code'),
  },
  {
    name: 'a code is exchanged at another address',
    in: 'server/authorization',
    text: '!isAbsentOr(row.redirect_uri, uri)',
    by: 'false',
    tests: oauth('code'),
  },
  {
    name: 'a code is exchanged by another client',
    in: 'server/authorization',
    text: 'bad_code, ({ row, client }) => row.client_id !== client.client_id',
    by: 'bad_code, () => false',
    tests: oauth('code'),
  },
  {
    name: 'an expired code is exchanged',
    in: 'server/authorization',
    text: 'bad_code, ({ row }) => row.is_expired',
    by: 'bad_code, () => false',
    tests: oauth('code'),
  },
  {
    name: 'a redirect address is not compared',
    in: 'server/authorization',
    text: '!isRegistered(client, p)',
    by: 'false',
    tests: oauth('authorize'),
  },
  {
    name: 'the reuse of a refresh token is not noticed',
    in: 'server/authorization',
    text: '(row.used_ms_ago ?? 0) > race_window_ms',
    by: 'false',
    tests: oauth('refresh'),
  },
  {
    name: 'a refresh token serves another client',
    in: 'server/authorization',
    text: 'bad_token, ({ row, client }) => row.client_id !== client.client_id',
    by: 'bad_token, () => false',
    tests: oauth('refresh'),
  },
  {
    name: 'a refresh takes more scopes than were granted',
    in: 'server/authorization',
    text: '!wished?.every((scope) => isCovered(scope, held))',
    by: '!wished',
    tests: oauth('refresh'),
  },
  {
    name: 'the host of a request is not checked',
    in: 'server/boot',
    text: 'mountHostRule(app, addresses, config.STINT_HOST)',
    by: '',
    tests: ['server/authorization/host-rule.test.ts', ...oauth('authorization')],
  },
  // Dry runs and standard operations
  {
    name: 'a dry run is committed',
    in: 'server/db',
    text: "options.is_dry ? rollBack(client) : client.query('commit')",
    by: "client.query('commit')",
    tests: contract('dry-run'),
  },
  {
    name: 'a confirmation is not compared',
    in: 'server/core',
    text: 'confirm !== undefined && confirm !== dry_run.digest',
    by: 'false',
    tests: contract('dry-run'),
  },
  {
    name: 'the digest of a dry run leaves out its effects',
    in: 'server/core',
    text: 'canonicalDigest([operation.definition.id, input, ...effects])',
    by: 'canonicalDigest([operation.definition.id, input])',
    tests: contract('dry-run'),
  },
  {
    name: 'a dry run shows a secret',
    in: 'server/core',
    text: 'const secret = reveals_secret ? { [reveals_secret.field]: null } : {}',
    by: 'const secret = reveals_secret ? {} : {}',
    tests: contract('dry-run'),
  },
  {
    name: 'a standard change of nothing is told as one',
    in: 'server/core',
    text: 'if (changed_fields.length === 0) {\n        unchanged()',
    by: 'if (false) {\n        unchanged()',
    tests: ['server/resources/teams/teams.test.ts'],
  },
  {
    name: 'a team that an open contract names is removed',
    in: 'server/core',
    text: 'await removing?.happen(before, { ...context, actor: caller.actor })',
    by: '',
    tests: ['server/resources/teams/teams.test.ts'],
  },
]
