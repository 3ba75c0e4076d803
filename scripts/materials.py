"""The list of what a built program is made of, in the form of CycloneDX 1.5 (https://cyclonedx.org)."""

import datetime
import hashlib
import json
import re
import subprocess
import uuid

import components


def cyclonedx(version, time, program, dependencies):
    """Text of JSON; `dependencies` are those of Debian's package. Equal input makes equal text."""
    digest = hashlib.sha256(program.read_bytes()).hexdigest()
    parts = [linked(part) for part in components.LINKED] + [loaded(item) for item in dependencies]
    root = f"pkg:generic/cormorant@{version}"
    document = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, digest)}",
        "version": 1,
        "metadata": {
            "timestamp": datetime.datetime.fromtimestamp(time, datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "component": {
                "type": "application",
                "bom-ref": root,
                "name": "cormorant",
                "version": version,
                "purl": root,
                "licenses": [{"license": {"id": components.APACHE}}],
                "hashes": [{"alg": "SHA-256", "content": digest}],
            },
        },
        "components": parts,
        "dependencies": [{"ref": root, "dependsOn": [part["bom-ref"] for part in parts]}],
    }
    return json.dumps(document, indent=2) + "\n"


def linked(part):
    path = part.url.removeprefix("https://")
    return {
        "type": "library",
        # A package may have several parts with licences of their own.
        "bom-ref": f"{part.name}@{part.version}",
        "name": part.name,
        "version": part.version,
        "purl": f"pkg:swift/{path}@{part.version}",
        "licenses": [license_choice(part.license)],
        "copyright": "\n".join(part.holders()),
        "externalReferences": [{"type": "website", "url": part.url}],
        "properties": [{"name": "linkage", "value": "static"}],
    }


def license_choice(text):
    if re.fullmatch(r"[\w.-]+", text):
        return {"license": {"id": text}}
    return {"expression": text}


def loaded(dependency):
    """A library of Debian, in the version that the program was linked with."""
    name = dependency.split(" ")[0]
    query = ["dpkg-query", "--show", "--showformat=${Version} ${Architecture}", name]
    version, architecture = subprocess.run(query, check=True, capture_output=True, text=True).stdout.split()
    purl = f"pkg:deb/debian/{name}@{version.replace('+', '%2B').replace(':', '%3A')}?arch={architecture}"
    return {
        "type": "library",
        "bom-ref": purl,
        "name": name,
        "version": version,
        "purl": purl,
        "properties": [{"name": "linkage", "value": "dynamic"}],
    }
