import { configWarnings, loadConfig } from '#boot/config.ts'
import { SettingsError } from '#boot/settings.ts'
import { type Command, exitStatus, print } from '../command.ts'
import { examine, type Finding } from '../examination.ts'

export const doctor: Command = {
  about: `Settings, data folder, certificate, the process if it runs here and its ports if not, database, schema, secrets, accounts.
Nothing is made or changed. Works before the first start, beside a running service, and when a start was refused. What was
promised of webhooks is looked at by \`stint webhooks check\`.`,
  examples: ['doctor', 'doctor --json'],
  exits: { [exitStatus.failed]: 'there is a fault; warnings alone are none' },
  async run(flags) {
    const findings = await findAll()
    const faults = findings.filter(({ status }) => status === 'fault').length
    const width = Math.max(...findings.map(({ part }) => part.length))
    const line = ({ part, status, told }: Finding) => `${status.padEnd(8)} ${part.padEnd(width)}  ${told}`
    print(flags, { ok: faults === 0, findings }, findings.map(line))
    return faults === 0 ? exitStatus.ok : exitStatus.failed
  },
}

async function findAll(): Promise<Finding[]> {
  const about = (status: Finding['status']) => (told: string) => ({ part: 'settings', status, told })
  try {
    const config = loadConfig()
    return [...configWarnings().map(about('warning')), ...(await examine(config))]
  } catch (error) {
    if (error instanceof SettingsError) return error.faults.map(about('fault'))
    throw error
  }
}
