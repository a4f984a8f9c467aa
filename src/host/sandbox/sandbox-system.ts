/** A place of the system that confined programs see as it is. */
export interface SystemPlace {
  readonly path: string;
  readonly reason: string;
}

/** Directories with programs and libraries; where one is a link to another, it is a link inside too. */
export const SYSTEM_DIRECTORIES: readonly string[] = [
  ...["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"],
  // Systems that keep every package in a directory of its own.
  ...["/nix/store", "/gnu/store"],
];

/** Single files and directories of `/etc`: what programs read to work, and nothing that anybody keeps secret. */
export const SYSTEM_FILES: readonly SystemPlace[] = [
  ...settings("the linker finds libraries by it", [
    "ld.so.cache",
    "ld.so.conf",
    "ld.so.conf.d",
    "ld-musl-x86_64.path",
    "ld-musl-aarch64.path",
  ]),
  ...settings("programs are links through it", ["alternatives"]),
  // Not /etc/ssl as a whole: private keys lie beside the certificates.
  ...settings("certificates of those whom everybody trusts", [
    "ssl/certs",
    "ssl/cert.pem",
    "ssl/openssl.cnf",
    "ca-certificates",
    "ca-certificates.conf",
    "pki/ca-trust/extracted",
    "pki/tls/certs",
    "pki/tls/cert.pem",
    "pki/tls/openssl.cnf",
    "crypto-policies",
  ]),
  ...settings("names of hosts, ports and users are looked up by it", [
    "nsswitch.conf",
    "host.conf",
    "gai.conf",
    "services",
    "protocols",
  ]),
  ...settings("language, time and kinds of files", [
    "localtime",
    "timezone",
    "locale.conf",
    "locale.alias",
    "default/locale",
    "mime.types",
    "magic",
    "terminfo",
    "inputrc",
    "fonts",
  ]),
  ...settings("what system this is", [
    "os-release",
    "debian_version",
    "lsb-release",
    "alpine-release",
    "redhat-release",
  ]),
  ...settings("interpreters find their modules by it", [
    "python3",
    "perl",
    "java",
    "java-11-openjdk",
    "java-17-openjdk",
    "java-21-openjdk",
  ]),
];

/** Files of `/proc` that tell of or command the whole machine, whatever the namespaces. */
export const COVERED_PROC_FILES: readonly string[] = [
  ...["sysrq-trigger", "kcore", "keys", "key-users", "kmsg", "kallsyms", "timer_list"],
  ...["sched_debug", "latency_stats", "mtrr", "vmallocinfo", "modules"],
].map((name) => `/proc/${name}`);

/** Directories of `/proc` of the same kind. */
export const COVERED_PROC_DIRECTORIES: readonly string[] = [
  ...["irq", "bus", "acpi", "fs", "scsi", "asound", "driver"],
].map((name) => `/proc/${name}`);

/** Who a confined program is, to itself. */
export interface SandboxUser {
  readonly uid: number;
  readonly gid: number;
  readonly name: string;
  readonly home: string;
}

// Programs refuse to work for root, or ask root for more care; its files stay its own outside.
const STAND_IN_FOR_ROOT = 1000;

/** The user as confined programs see it: themselves with their own number, root as somebody ordinary. */
export function sandboxUser(env: { readonly [name: string]: string }): SandboxUser {
  const { USER: name = "", HOME: home = "" } = env;
  const number = (id: number | undefined) =>
    id === undefined || id === 0 ? STAND_IN_FOR_ROOT : id;
  return {
    uid: number(process.getuid?.()),
    gid: number(process.getgid?.()),
    name: /^[a-z_][a-z0-9_-]{0,31}$/.test(name) && name !== "root" ? name : "user",
    home: /^\/[^:\n]*$/.test(home) ? home : "/tmp",
  };
}

/** The files of `/etc` that are the sandbox's own. */
export function ownFiles({ uid, gid, name, home }: SandboxUser): {
  readonly [path: string]: string;
} {
  return {
    "/etc/passwd": `${name}:x:${uid}:${gid}::${home}:/bin/sh\nnobody:x:65534:65534::/:/bin/false\n`,
    "/etc/group": `${name}:x:${gid}:\nnogroup:x:65534:\n`,
    "/etc/hosts": "127.0.0.1 localhost\n::1 localhost\n",
  };
}

function settings(reason: string, names: readonly string[]): readonly SystemPlace[] {
  return names.map((name) => ({ path: `/etc/${name}`, reason }));
}
