// own process: the SDK of OpenTelemetry is loaded for the whole process
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { answer } from '#test/receiver.ts'
import { startWebhookBench, type WebhookBench } from '#test/webhook-bench.ts'

const exported = new InMemorySpanExporter()
let bench: WebhookBench
before(async () => {
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exported)] }))
  propagation.setGlobalPropagator(new W3CTraceContextPropagator())
  bench = await startWebhookBench()
  await bench.subscribe()
})
after(() => bench.close())

const body = { name: 'Payroll export', scopes: ['contracts:read'] }

test('a call and the deliveries that follow from it are spans of the trace of the caller', async () => {
  const [trace_id, caller_span] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7']
  exported.reset()
  bench.receiver.script(answer({ status: 503 }))
  const headers = { traceparent: `00-${trace_id}-${caller_span}-01` }
  const { status } = await bench.service.call('POST', '/api-tokens', { body, headers })
  assert.equal(status, 201)
  await bench.service.dispatcher.runDue()
  const spans = exported.getFinishedSpans()
  assert.deepEqual(
    spans.map(({ name, kind }) => [name, kind]),
    [
      ['api_tokens.create', SpanKind.SERVER],
      ['webhook attempt', SpanKind.CLIENT],
    ],
  )
  const [call, attempt] = spans
  assert.equal(call?.parentSpanContext?.spanId, caller_span)
  assert.equal(call?.attributes['http.response.status_code'], 201)
  assert.deepEqual(attempt?.status, { code: SpanStatusCode.ERROR })
  for (const span of spans) assert.equal(span.spanContext().traceId, trace_id)
  const sent = bench.receiver.requests.at(-1)?.headers.traceparent
  assert.equal(sent, `00-${trace_id}-${attempt?.spanContext().spanId}-01`)
})

test('a call without a trace begins one, and its deliveries belong to it', async () => {
  exported.reset()
  await bench.service.call('POST', '/api-tokens', { body })
  await bench.service.dispatcher.runDue()
  const traces = new Set(exported.getFinishedSpans().map((span) => span.spanContext().traceId))
  assert.equal(exported.getFinishedSpans().length, 2)
  assert.equal(traces.size, 1)
})
