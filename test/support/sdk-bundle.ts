import { build } from 'vite'

/** The client as one file for browsers, minified: a module, or a script that defines `sdk`. */
export async function bundleSdk(entry: string, format: 'es' | 'iife'): Promise<string> {
  const built = await build({
    configFile: false,
    logLevel: 'silent',
    build: {
      write: false,
      minify: true,
      rolldownOptions: { input: entry, preserveEntrySignatures: 'strict', output: { format, name: 'sdk' } },
    },
  })
  // The cast holds because nothing is watched.
  const { output } = [built].flat()[0] as { output: { code: string; imports: string[] }[] }
  const [file, ...others] = output
  if (!file || others.length + file.imports.length > 0) throw new Error('the client is more than one file')
  return file.code
}
