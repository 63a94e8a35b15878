// Signing in at a real identity provider: called by `sign-in-check`.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const [tools, clients, craig, ...options] = process.argv.slice(2);
const pictures = options.includes('--pictures') ? options[options.indexOf('--pictures') + 1] : undefined;
const { chromium } = createRequire(path.join(tools, 'package.json'))('playwright-core');
const fromClients = (name) => import(pathToFileURL(createRequire(path.join(clients, 'package.json')).resolve(name)));
const { Provider } = await fromClients('oidc-provider');
const { Client } = await fromClients('@modelcontextprotocol/sdk/client/index.js');
const { StreamableHTTPClientTransport } = await fromClients('@modelcontextprotocol/sdk/client/streamableHttp.js');
const { UnauthorizedError } = await fromClients('@modelcontextprotocol/sdk/client/auth.js');

const home = mkdtempSync(path.join(tmpdir(), 'sign-in-'));
const crates = path.join(path.dirname(fileURLToPath(import.meta.url)), '../crates');
const env = { PATH: process.env.PATH, HOME: home, CRAIG_GATEWAY_SIGN_IN: path.join(home, 'sign-in.toml') };
const run = (...args) => execFileSync(craig, args, { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
const PEOPLE = { alice: ['text-team'], bob: ['text-team', 'admins'], carol: [] };

async function freePort() {
  const server = createServer();
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address();
  await new Promise((done) => server.close(done));
  return port;
}

/* The provider issues JWTs for the MCP server with a person's groups, and lets clients register themselves. */
async function startProvider(url, port) {
  const issuer = `http://127.0.0.1:${port}`;
  const provider = new Provider(issuer, {
    clients: [{ client_id: 'craig-page', redirect_uris: [`${url}/`], token_endpoint_auth_method: 'none', application_type: 'native' }],
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
    extraTokenClaims: (_, token) => ({ groups: PEOPLE[token.accountId] || [], preferred_username: token.accountId }),
    features: {
      registration: { enabled: true },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => true,
        getResourceServerInfo: (_, resource) => ({ scope: 'openid', audience: resource, accessTokenFormat: 'jwt', accessTokenTTL: 300 }),
      },
    },
    cookies: { keys: ['only for this check'] },
    ttl: { Interaction: 600, Session: 600, Grant: 600, IdToken: 300 },
  });
  const server = createServer(provider.callback());
  await new Promise((done) => server.listen(port, '127.0.0.1', done));
  return { issuer, server };
}

async function startCraig(port) {
  const server = spawn(craig, ['serve', '--address', `127.0.0.1:${port}`], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let log = '';
  server.stderr.on('data', (data) => { log += data; });
  for (let n = 0; n < 600 && !log.includes('"started"'); n += 1) await new Promise((done) => setTimeout(done, 50));
  assert(log.includes('"started"'), `the server did not start: ${log}`);
  return { server, log: () => log };
}

/* Fills in the provider's own forms. */
async function passForms(page, name) {
  await page.fill('input[name=login]', name);
  await page.fill('input[name=password]', 'any');
  await page.click('button[type=submit]');
  await page.waitForSelector('text=Authorize');
  await page.click('button[type=submit]');
}

async function onThePage(browser, url) {
  const signedIn = async (name) => {
    const context = await browser.newContext({ viewport: { width: 1200, height: 900 } });
    const page = await context.newPage();
    const complaints = [];
    page.on('console', (message) => message.type() === 'error' && message.location().url.startsWith(url) && !message.text().includes('status of 401') && complaints.push(message.text()));
    await page.goto(`${url}/#q=stems&in=`);
    await page.waitForSelector('#sign-in:not([hidden])');
    if (pictures) await page.screenshot({ path: path.join(pictures, `sign-in-${name}.png`) });
    await page.click('#sign-in');
    await passForms(page, name);
    await page.waitForURL(`${url}/**`);
    return { page, context, complaints };
  };
  const alice = await signedIn('alice');
  await alice.page.waitForSelector('article a.hit');
  assert.match(alice.page.url(), /#q=stems/, 'the place before the sign-in is shown');
  await alice.page.goto(`${url}/#`);
  await alice.page.waitForSelector('text=Ingestion');
  const projects = await alice.page.locator('#view td a').allTextContents();
  assert.deepEqual(projects, ['craig-text']);
  if (pictures) await alice.page.screenshot({ path: path.join(pictures, 'sign-in-projects.png') });
  assert.deepEqual(alice.complaints, []);
  await alice.context.close();

  const carol = await signedIn('carol');
  await carol.page.waitForSelector('text=None of your groups may use this server');
  if (pictures) await carol.page.screenshot({ path: path.join(pictures, 'sign-in-refused.png') });
  // A code that another site sends along did not begin here.
  await carol.page.goto(`${url}/?code=x&state=y`);
  await carol.page.waitForSelector('text=This sign-in was started elsewhere');
  await carol.context.close();
  console.log('page: a member of a group sees its projects, a stranger none, a foreign code is refused');
}

/* What an assistant keeps about its sign-in. */
class Kept {
  constructor(browser, name) {
    Object.assign(this, { browser, name, redirectUrl: 'http://127.0.0.1:9/callback' });
    this.clientMetadata = {
      client_name: 'check', redirect_uris: [this.redirectUrl], application_type: 'native', token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code'], response_types: ['code'],
    };
  }
  clientInformation() { return this.information; }
  saveClientInformation(information) { this.information = information; }
  tokens() { return this.kept; }
  saveTokens(tokens) { this.kept = tokens; }
  saveCodeVerifier(verifier) { this.verifier = verifier; }
  codeVerifier() { return this.verifier; }
  async redirectToAuthorization(address) {
    const context = await this.browser.newContext();
    const page = await context.newPage();
    const back = page.waitForRequest((request) => request.url().startsWith(this.redirectUrl), { timeout: 30_000 });
    await page.goto(address.href);
    await passForms(page, this.name);
    this.code = new URL((await back).url()).searchParams.get('code');
    await context.close();
  }
}

async function asAnAssistant(browser, url) {
  const seenBy = async (name) => {
    const kept = new Kept(browser, name);
    const transport = () => new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { authProvider: kept });
    const first = transport();
    // The client is refused, finds the provider, registers itself, and sends its user there.
    await assert.rejects(new Client({ name: 'check', version: '1' }).connect(first), UnauthorizedError);
    await first.finishAuth(kept.code);
    const client = new Client({ name: 'check', version: '1' });
    await client.connect(transport());
    const answer = await client.callTool({ name: 'query_code', arguments: { query: 'stems of words' } });
    await client.close();
    return JSON.stringify(answer);
  };
  const alice = await seenBy('alice');
  assert(alice.includes('stem') && !alice.includes('craig-store'), alice);
  assert((await seenBy('bob')).includes('craig-'), 'an administrator searches everything');
  console.log('MCP client: finds the provider, registers, signs in, and sees what its user may see');
}

const [ownPort, providerPort] = [await freePort(), await freePort()];
const url = `http://127.0.0.1:${ownPort}`;
const { issuer, server: provider } = await startProvider(url, providerPort);
writeFileSync(env.CRAIG_GATEWAY_SIGN_IN, `issuer = "${issuer}"
url = "${url}"
audience = ["${url}/mcp"]
client_id = "craig-page"
resource = "${url}/mcp"

[groups.text-team]
projects = ["craig-text"]

[groups.admins]
`);
for (const name of ['craig-store', 'craig-text']) run('ingest', path.join(crates, name), '--name', name);
const { server, log } = await startCraig(ownPort);
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] });
try {
  await onThePage(browser, url);
  await asAnAssistant(browser, url);
  const admitted = () => log().split('\n').filter((line) => line.includes('"person_admitted"')).map((line) => JSON.parse(line).name);
  // The log comes through a pipe.
  for (let tries = 0; admitted().length < 2 && tries < 50; tries++) await new Promise((next) => setTimeout(next, 100));
  assert.deepEqual(admitted().sort(), ['alice', 'bob']);
} finally {
  await browser.close();
  server.kill();
  provider.close();
  provider.closeAllConnections();
  rmSync(home, { recursive: true, force: true });
}
