import { type DatabaseServer, server_variable, startDatabaseServer } from './server-of-run.ts'

let server: DatabaseServer | undefined

/** Once per test run (`scripts/test.ts`): one database server for all test files. A file run by itself starts its own. */
export async function globalSetup(): Promise<void> {
  server = await startDatabaseServer()
  const { connection, login, template } = server
  process.env[server_variable] = JSON.stringify({ connection, login, template })
}

export async function globalTeardown(): Promise<void> {
  await server?.stop()
}
