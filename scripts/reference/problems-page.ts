import { declaredProblems } from '#core/problems.ts'
import { table } from './markdown.ts'

/** Every problem code with its status and what to do about it, as Markdown. */
export function problemsPage(): string {
  const rows = declaredProblems().map(({ code, status, title, advice }) => [
    `\`${code}\``,
    String(status),
    title,
    advice,
  ])
  return [
    '# Problems',
    'A refusal is an `application/problem+json` document (RFC 9457) with `type`, `title`, `status`, `detail`, `code`, `request_id` and, where places of the input are at fault, `errors[{pointer, message}]`. Programs decide by `code`; `type` is the address of the page of the code.',
    table(['Code', 'Status', 'Title', 'What to do'], rows),
  ].join('\n\n')
}
